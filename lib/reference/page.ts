import { html } from 'hono/html';
import type { OpenApiDocument } from '../openapi/document.ts';
import { type Html, markdown, textOf } from './markdown.ts';
import { operationSection } from './operation.ts';
import type { Call } from './samples.ts';

interface Group {
  name: string;
  description: string;
  calls: Call[];
}

/** Returns the reference of the API as an HTML page: operations by tag, with samples and forms to try them. */
export function referencePage(document: OpenApiDocument): string {
  const groups = groupsOf(document);
  const { title } = document.info;
  return textOf(
    layout(
      `${title}: API reference`,
      'docs/',
      html`<div class="columns">
        ${navigation(groups)}
        <main id="main">
          <h1>${title} API</h1>
          ${introduction(document)} ${groups.map(group => groupSection(document, group))}
        </main>
      </div>`,
    ),
  );
}

/** A page of the documentation. `base`: where its stylesheet and script are. */
export function layout(title: string, base: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${base}reference.css" />
        <script src="${base}reference.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        ${content}
      </body>
    </html>`;
}

function groupsOf(document: OpenApiDocument): Group[] {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    calls: calls.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

const idOf = (name: string) => `tag-${name.toLowerCase().replaceAll(' ', '-')}`;

const navigation = (groups: readonly Group[]): Html => html`
  <nav aria-label="Operations">
    <div class="tools">
      <label for="search">Search</label>
      <input id="search" type="search" placeholder="schedule, retry, board …" autocomplete="off" />
      <label for="key">API key</label>
      <input id="key" type="password" placeholder="sps_…" autocomplete="off" />
      <div class="choices">
        <button type="button" id="language" aria-pressed="false">TypeScript</button>
        <button type="button" id="theme">Dark mode</button>
        <button type="button" id="menu" aria-expanded="false" aria-controls="operations">Operations</button>
      </div>
      <p id="matches" role="status"></p>
    </div>
    <div id="operations">
      <a class="page" href="docs/errors">Error codes</a>
      <a class="page" href="openapi.json">OpenAPI document</a>
      ${groups.map(
        ({ name, calls }) =>
          html`<h2><a href="#${idOf(name)}">${name}</a></h2>
            <ul>
              ${calls.map(
                ({ method, path, operation }) =>
                  html`<li data-for="${operation.operationId}" data-text="${`${method} ${path}`}">
                    <a href="#${operation.operationId}"
                      ><span class="method ${method.toLowerCase()}">${method}</span> ${operation.summary}</a
                    >
                  </li>`,
              )}
            </ul>`,
      )}
    </div>
  </nav>
`;

const introduction = ({ info }: OpenApiDocument): Html => html`
  <section class="introduction">
    ${markdown(info.description)}
    <p>
      <strong>Clients.</strong> <code>npx openapi-typescript openapi.json -o social.ts</code> generates types
      for <code>openapi-fetch</code>. The TypeScript samples below use this client:
    </p>
    <pre tabindex="0"><code>import createClient from 'openapi-fetch';
import type { paths } from './social.ts';

const api = createClient&lt;paths&gt;({
  baseUrl: 'https://api.example.com/v1',
  headers: { Authorization: ${'`Bearer ${process.env.API_KEY}`'} },
});</code></pre>
  </section>
`;

const groupSection = (document: OpenApiDocument, { name, description, calls }: Group): Html => html`
  <section class="group" aria-labelledby="${idOf(name)}">
    <h2 id="${idOf(name)}">${name}</h2>
    ${markdown(description)} ${calls.map(call => operationSection(document, call))}
  </section>
`;
