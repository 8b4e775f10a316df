#!/bin/bash
# The driver as a job of its own: sbatch driver.sh seeds.txt
#SBATCH --job-name=webcrawl-driver
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=webcrawl-driver.log

webcrawl rounds "$@" --runner slurm --shards "${WEBCRAWL_SHARDS:-16}" --template "${WEBCRAWL_WORKER:-worker.sh}"
exit $?
