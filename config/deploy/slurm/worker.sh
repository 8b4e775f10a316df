#!/bin/bash
# A task of the array of a step: webcrawl rounds --runner slurm --template worker.sh. What the driver gives it are its arguments.
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G

# Each task its shard; the driver sets WEBCRAWL_SHARDS.
export WEBCRAWL_SHARD="$SLURM_ARRAY_TASK_ID/$WEBCRAWL_SHARDS"
webcrawl "$@" --shard auto
# Bash stays until the end, so that a worker that is killed ends the task with 137, and RequeueExit sees it.
exit $?
