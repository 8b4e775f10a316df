#!/bin/bash
# A task in the array job of a step: webcrawl rounds --runner slurm --template worker.sh. Its arguments come from the driver.
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G

# Each task works on its own shard; the driver sets WEBCRAWL_SHARDS.
export WEBCRAWL_SHARD="$SLURM_ARRAY_TASK_ID/$WEBCRAWL_SHARDS"
webcrawl "$@" --shard auto
# Bash stays until the end: if a worker is killed, the task then ends with 137, which RequeueExit detects.
exit $?
