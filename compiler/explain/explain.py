"""What ``etalis explain`` shows of a query: the text of each stage, from the stage's one printer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.algebra_printer import algebra_text
from etalis_py.compiler.explain.association_printer import orders_text
from etalis_py.compiler.explain.plan_printer import key_text, plan_text, triggers_text
from etalis_py.compiler.explain.readable import readable_for
from etalis_py.compiler.explain.rules_printer import annotated_program, rules_text
from etalis_py.compiler.explain.stage_printer import stage_lines, stages_text
from etalis_py.compiler.partition.join_key import find_key
from etalis_py.compiler.partition.stages import Dealing, plan_stages
from etalis_py.compiler.plan.plan import StatePlan
from etalis_py.compiler.plan.triggers import TriggerFinder, plain_triggers

__all__ = ["STAGES", "Stage", "explain", "program_stages", "shared_work"]

Stage: TypeAlias = Literal["algebra", "plan", "rules", "prolog"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)


def explain(query: CompiledQuery, stage: Stage, triggers: TriggerFinder = plain_triggers) -> str:
    """The text of one stage, without an end of line after it.

    The algebra is shown as the query says it, and again after the passes where they change it; the plan with
    its key, with what ``triggers`` knows of an ontology (``Engine.knowledge.triggers``), and with the order
    that was chosen by rates.
    """
    readable = readable_for(query)
    match stage:
        case "algebra":
            said, optimized = (algebra_text(each, readable) for each in (query.meaning, query.optimized))
            return said if said == optimized else f"{said}\n\nafter the passes:\n{optimized}"
        case "plan":
            plan, key = query.untraced or query.plan, _key(query, triggers)
            through = triggers_text(plan, triggers, readable)
            parts = (plan_text(plan, readable), orders_text(query.orders, readable, query.text), through, key)
            return "\n\n".join(filter(None, parts))
        case "rules":
            return rules_text(query.rules, readable, query.text)
        case "prolog":
            return annotated_program(query.rules, query.text)


def program_stages(
    queries: Sequence[CompiledQuery], states: Sequence[CompiledQuery], triggers: TriggerFinder
) -> str:
    """How Spark runs the queries of a program together; ``states`` are those of its rules files."""
    if states:
        return "in one part on Spark: the state depends on the whole stream"
    stages = plan_stages([each.plan for each in queries], triggers)
    return stages_text(stages, queries, readable_for(queries[0]))


def shared_work(queries: Sequence[CompiledQuery], triggers: TriggerFinder) -> str:
    """How the events of a program with one key are dealt out."""
    [stage] = plan_stages([each.plan for each in queries], triggers)
    return "\n".join(stage_lines(stage, queries, readable_for(queries[0])))


def _key(query: CompiledQuery, triggers: TriggerFinder) -> str:
    if isinstance(query.plan, StatePlan):
        return "the state depends on the whole stream, so one partition on Spark does all the work"
    key = find_key([query.plan], triggers)
    if not key.is_partitioned:
        stages = plan_stages([query.plan], triggers)
        if len(stages) > 1 or stages[0].dealing is not Dealing.ONE_PART:
            return stages_text(stages, [query], readable_for(query))
    return key_text(key, query.plan, query.text)
