import { html } from 'hono/html';
import type { OpenApiDocument } from '../openapi/document.ts';
import { errorRows, FAILURE_ROWS, type CodeRow } from './error-rows.ts';
import { type Html, inline, textOf } from './markdown.ts';
import { layout } from './page.ts';

/** Returns the page that explains every code, one row each: error responses link to it. */
export function errorsPage(document: OpenApiDocument): string {
  return textOf(
    layout(
      'Error codes',
      '',
      html`<main id="main" class="plain">
        <p><a href="../docs">API reference</a></p>
        <h1>Error codes</h1>
        <h2>Responses of the API</h2>
        <p>The body is <code>{error, code, docs_url}</code>. Some codes come with additional fields.</p>
        ${table(['Code', 'Status', 'Cause', 'What to do', 'Retry'], errorRows(document))}
        <h2>Failures of destinations</h2>
        <p>
          A post that could not be published on a platform has one of these codes in
          <code>destinations[].error</code>, and in the events <code>post.failed</code> and
          <code>post.retry</code>.
        </p>
        ${table(['Code', 'Kind', 'Cause', 'What to do', 'Retry'], FAILURE_ROWS)}
      </main>`,
    ),
  );
}

const table = (heads: readonly string[], rows: readonly CodeRow[]): Html => html`
  <div class="scroll" tabindex="0" role="region" aria-label="${heads[1] ?? ''} codes">
    <table>
      <thead>
        <tr>
          ${heads.map(head => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ id, code, kind, cause, remedy, retryable }) =>
            html`<tr id="${id}">
              <th scope="row"><code>${code}</code></th>
              <td>${kind}</td>
              <td>${inline(cause)}</td>
              <td>${inline(remedy)}</td>
              <td>${retryable ? 'yes' : 'no'}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>
`;
