#!/bin/bash
# A worker for each task of an array: sbatch --array=0-63 worker.sh seeds.txt --table hbase://gw1:9090,gw2:9090/crawl
# slurm.conf needs RequeueExit=75,137,143: Slurm then starts a worker again that was killed, or that asks for it.
#SBATCH --job-name=webcrawl
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=webcrawl-%a.log

webcrawl crawl "$@" --shard auto
# Bash stays until the end: if a worker is killed, the task ends with 137.
exit $?
