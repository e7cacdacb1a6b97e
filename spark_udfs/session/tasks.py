"""How far the jobs are that a session runs now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Tasks", "running_tasks"]


@dataclass(frozen=True, slots=True)
class Tasks:
    """``done`` of ``total`` tasks; Spark begins stages one after another, so ``total`` may grow."""

    done: int
    total: int


def running_tasks(session: SparkSession) -> Tasks:
    """The tasks of all stages of all jobs that run now; a session over Spark Connect cannot tell."""
    tracker = session.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getActiveJobsIds()]
    stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
    told = [stage for stage in stages if stage is not None]
    return Tasks(sum(stage.numCompletedTasks for stage in told), sum(stage.numTasks for stage in told))
