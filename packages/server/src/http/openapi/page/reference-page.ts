import { hash } from 'node:crypto';
import type { OpenApiDocument } from '../document.ts';
import { Html, html, prose } from './html.ts';
import { type Operation, routeSection } from './route-section.ts';
import { schemaView } from './schema-view.ts';
import { style } from './style.ts';

interface Route {
  method: string;
  path: string;
  operation: Operation;
}

/**
 * The document as one HTML page, without scripts or external resources. `policy` is the
 * Content-Security-Policy that enforces this.
 */
export function referencePage(document: OpenApiDocument): { html: string; policy: string } {
  const { info, tags, components } = document;
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Route => ({ method, path, operation: operation as unknown as Operation }),
    ),
  );
  const groups = tags.map(({ name, description }) => ({
    name,
    description,
    routes: routes.filter(({ operation }) => operation.tags[0] === name),
  }));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} ${info.version}: HTTP reference</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#top">Skip to the routes</a>
<div class="frame">
<nav aria-label="Routes">
<strong>${info.title}</strong> <small>${info.version}</small>
${groups.map(({ name, routes: members }) => html`<h2>${name}</h2><ul>${members.map(entry)}</ul>`)}
<h2>Schemas</h2><ul>${Object.keys(components.schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>
</nav>
<main id="top">
<h1>${info.title}</h1>
${prose(info.description)}
<p>For programs: <a href="openapi.json"><code>GET /openapi.json</code></a>, OpenAPI ${document.openapi}.</p>
${groups.map(
  (group) => html`<section><h2>${group.name}</h2>${prose(group.description)}
${group.routes.map(({ method, path, operation }) => routeSection(method, path, operation))}</section>`,
)}
<section><h2>Schemas</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<article id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>
${prose(String(schema['description'] ?? ''))}${schemaView(schema)}</article>`,
)}</section>
</main>
</div>
</body>
</html>
`;
  const digest = hash('sha256', style, 'base64');
  return {
    html: page.text,
    policy: `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

function entry({ method, path, operation }: Route): Html {
  return html`<li><a href="#${operation.operationId}" title="${operation.summary}"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></a></li>`;
}
