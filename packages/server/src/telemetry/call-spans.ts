import { SkillError } from '@ambit/core';
import type { CallSpan, SpanFacts, Tracing } from '@ambit/core/execute';
import {
  type Attributes,
  type Context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/**
 * Traces calls with `tracer`, as children of the span in `parent`. An error is recorded as its code,
 * never its message.
 */
export function callSpans(tracer: Tracer, parent: () => Context): Tracing {
  const open = (name: string, facts: SpanFacts, context: Context): CallSpan => {
    const span = tracer.startSpan(name, {}, context);
    note(span, facts);
    return {
      note: (more) => note(span, more),
      start: (step, stepFacts = {}) => open(step, stepFacts, trace.setSpan(context, span)),
      end(error) {
        if (error !== undefined) fail(span, error instanceof SkillError ? error.code : 'INTERNAL');
        span.end();
      },
    };
  };
  return { start: (facts) => open('execute_tool', facts, parent()) };
}

function note(span: Span, facts: SpanFacts): void {
  span.setAttributes(attributesOf(facts));
  const { skill, outcome, code } = facts;
  if (skill !== undefined) span.updateName(`execute_tool ${skill.id}`);
  if (code !== undefined) fail(span, code);
  if (outcome !== undefined && outcome !== 'succeeded') fail(span, outcome);
}

/**
 * `gen_ai.*` and `error.type` are OpenTelemetry's semantic conventions; other attributes begin with
 * `ambit.`. A span leaves out attributes that are `undefined`.
 */
function attributesOf({ executionId, skill, runtime, sandbox, outcome }: SpanFacts): Attributes {
  return {
    'gen_ai.operation.name': executionId === undefined ? undefined : 'execute_tool',
    'ambit.execution.id': executionId,
    'gen_ai.tool.name': skill?.id,
    'ambit.skill.tier': skill?.tier,
    'ambit.skill.version': skill?.version,
    'ambit.skill.runtime': runtime,
    'ambit.sandbox': sandbox,
    'ambit.outcome': outcome,
  };
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
