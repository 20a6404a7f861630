import { SkillError, type SpanFacts, type Tracing } from '@ambit/core';
import {
  type Attributes,
  type Context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** Creates a span for each phase of a call. An error is recorded as its code, never its message. */
export function callSpans(
  tracer: Tracer,
  around: () => Context,
  within: <T>(context: Context, work: () => T) => T,
): Tracing {
  return {
    async span(name, facts, work) {
      const outside = around();
      const span = tracer.startSpan(name === 'execute' ? 'execute_tool' : name, {}, outside);
      note(span, facts);
      try {
        return await within(trace.setSpan(outside, span), () => work((more) => note(span, more)));
      } catch (error) {
        fail(span, error instanceof SkillError ? error.code : 'INTERNAL');
        throw error;
      } finally {
        span.end();
      }
    },
  };
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
 * `ambit.`.
 */
function attributesOf({ executionId, skill, runtime, sandbox, outcome }: SpanFacts): Attributes {
  return {
    ...(executionId === undefined
      ? {}
      : { 'gen_ai.operation.name': 'execute_tool', 'ambit.execution.id': executionId }),
    ...(skill === undefined
      ? {}
      : {
          'gen_ai.tool.name': skill.id,
          'ambit.skill.tier': skill.tier,
          ...(skill.version === undefined ? {} : { 'ambit.skill.version': skill.version }),
        }),
    ...(runtime === undefined ? {} : { 'ambit.skill.runtime': runtime }),
    ...(sandbox === undefined ? {} : { 'ambit.sandbox': sandbox }),
    ...(outcome === undefined ? {} : { 'ambit.outcome': outcome }),
  };
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
