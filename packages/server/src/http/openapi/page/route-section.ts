import type { Json } from '../schemas.ts';
import { type Html, html, inline, prose } from './html.ts';
import { kindOf, schemaView } from './schema-view.ts';

/** An operation of the document. */
export interface Operation {
  operationId: string;
  tags: readonly [string];
  summary: string;
  description: string;
  security: readonly { key: readonly string[] }[];
  parameters?: readonly { name: string; in: string; required: boolean; description?: string; schema: Json }[];
  requestBody?: { content: Readonly<Record<string, Content>> };
  responses: Readonly<Record<string, { description: string; content?: Readonly<Record<string, Content>> }>>;
}

interface Content {
  schema: Json;
  example?: unknown;
}

/** One route: its purpose, parameters, responses and refusals. */
export function routeSection(method: string, path: string, operation: Operation): Html {
  const { operationId, summary, description, security, requestBody } = operation;
  const scope = security[0]?.key[0];
  return html`<article id="${operationId}">
<h3><a href="#${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></a> <small>${summary}</small></h3>
${prose(description)}
<p class="scope">${scope === undefined ? 'Needs no key.' : html`Needs a key with <code>${scope}</code>.`}</p>
${parameterTable(operation)}
${Object.entries(requestBody?.content ?? {}).map(([type, content]) => html`<h4>Body <small>${type}</small></h4>${contentView(content)}`)}
${answerViews(operation)}
</article>`;
}

function parameterTable({ parameters = [] }: Operation): Html | undefined {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map(
    (parameter) => html`<tr>
<th scope="row"><code>${parameter.name}</code>${parameter.required ? html` <b title="required">*</b>` : undefined} <small>${parameter.in}</small></th>
<td>${kindOf(parameter.schema)} ${inline(parameter.description ?? '')}</td>
</tr>`,
  );
  return html`<h4>Parameters</h4><table class="fields">${rows}</table>`;
}

function answerViews({ responses }: Operation): Html {
  const views = Object.entries(responses).flatMap(([status, { description, content = {} }]) => {
    const [said = '', ...refusals] = description.split(/^(?=- `)/m);
    const kinds = Object.entries(content).filter(([type]) => type !== 'application/problem+json');
    const isAnswer = !description.startsWith('- `');
    return [
      ...(isAnswer
        ? [
            html`<h4><span class="status">${status}</span> ${said}</h4>${kinds.map(([type, each]) => html`<p class="type"><small>${type}</small></p>${contentView(each)}`)}`,
          ]
        : []),
      ...(isAnswer ? refusals : [said, ...refusals]).map((line) => ({ status, line })),
    ];
  });
  const rows = views.flatMap((view) =>
    'line' in view
      ? [
          html`<tr><th scope="row"><span class="status">${view.status}</span></th><td>${inline(view.line.slice(2))}</td></tr>`,
        ]
      : [],
  );
  const answers = views.flatMap((view) => ('line' in view ? [] : [view]));
  return html`${answers}<details class="refusals"><summary>Refusals</summary><table class="fields">${rows}</table></details>`;
}

function contentView({ schema, example }: Content): Html {
  const shown = example === undefined ? undefined : html`<pre>${JSON.stringify(example, null, 2)}</pre>`;
  return html`${schemaView(schema)}${shown}`;
}
