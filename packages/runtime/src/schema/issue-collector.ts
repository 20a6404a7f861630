import type { SchemaIssue } from '@ambit/core/json';
import type { EvaluationPlugin, ValidationContext } from '@hyperjump/json-schema/experimental';
import { type JsonNode, uri, value } from '@hyperjump/json-schema/instance/experimental';
import { describeAlternatives, describeForbidden, describeIssue } from './describe-issue.ts';

/** Observes one evaluation and collects the issues of the value. */
export interface IssueCollector extends EvaluationPlugin<IssueContext> {
  issues(): readonly SchemaIssue[];
}

interface IssueContext extends ValidationContext {
  /** The issues of the schema, or of all schemas that a keyword applied. */
  issues?: SchemaIssue[];
}

const issuesMax = 20;

/** Keywords whose own message says more than the messages of the schemas they applied. */
const summarizing = new Set(['anyOf', 'oneOf', 'not', 'contains', 'propertyNames']);

/**
 * A plug-in for the evaluator that collects the innermost issues, in order of evaluation. For
 * `properties` and similar keywords, it collects the issues of the inner schemas. For `anyOf` and
 * similar keywords, it collects one summary.
 */
export function issueCollector(): IssueCollector {
  let all: readonly SchemaIssue[] = [];
  return {
    issues: () => all,
    afterKeyword([keywordId, , keywordValue], node, context, valid, schemaContext) {
      if (valid) return;
      const keyword = keywordId.slice(keywordId.lastIndexOf('/') + 1);
      schemaContext.issues ??= [];
      add(schemaContext.issues, issuesOf(keyword, keywordValue, node, context.issues ?? []));
    },
    afterSchema(url, node, context, valid) {
      if (!valid && typeof context.ast[url] === 'boolean') {
        context.issues ??= [];
        add(context.issues, [
          { at: pointerTo(node), keyword: forbidden, message: describeForbidden(forbidden, '') },
        ]);
      }
      // The outermost schema is the last one.
      all = context.issues ?? [];
    },
  };
}

/** Marks the schema `false` until the keyword that applied it is known. */
const forbidden = 'false';

function add(issues: SchemaIssue[], more: readonly SchemaIssue[]): void {
  issues.push(...more.slice(0, issuesMax - issues.length));
}

function issuesOf(
  keyword: string,
  keywordValue: unknown,
  node: JsonNode,
  inner: readonly SchemaIssue[],
): readonly SchemaIssue[] {
  const at = pointerTo(node);
  if (keyword === 'anyOf') return [{ at, keyword, message: describeAlternatives(at, inner) }];
  if (summarizing.has(keyword) || inner.length === 0) {
    return describeIssue(keyword, keywordValue, value(node)).map((message) => ({ at, keyword, message }));
  }
  return inner.map((issue) =>
    issue.keyword === forbidden
      ? { at: issue.at, keyword, message: describeForbidden(keyword, issue.at) }
      : issue,
  );
}

/** The evaluator's locations are URI fragments. */
function pointerTo(node: JsonNode): string {
  return decodeURI(uri(node).slice(1));
}
