import { html } from 'hono/html';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { ResponseObject } from '../openapi/media.ts';
import { type Html, inline, json, markdown, nothing } from './markdown.ts';
import { bodyOf, curlSample, typescriptSample, type Call } from './samples.ts';
import { fieldsOf, resolved } from './schema.ts';

/** Shows an operation: what it takes and answers on the left, samples and a form to try it on the right. */
export function operationSection(document: OpenApiDocument, call: Call): Html {
  const { method, path, operation } = call;
  const id = operation.operationId;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
    <div class="text">
      <h3 id="${id}-title"><a href="#${id}">${operation.summary}</a></h3>
      <p class="path"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
      ${markdown(operation.description)} ${parameters(call)} ${requestBody(document, call)}
      ${responses(document, call)}
    </div>
    <div class="samples">${samples(call)} ${tryIt(document, call)}</div>
  </section>`;
}

const ownParameters = ({ operation }: Call): Parameter[] =>
  (operation.parameters ?? []).filter((each): each is Parameter => 'name' in each);

function parameters(call: Call): Html | typeof nothing {
  const own = ownParameters(call);
  if (own.length === 0) return nothing;
  return html`<h4>Parameters</h4>
    <dl class="fields">
      ${own.map(
        ({ name, description, required, in: place }) =>
          html`<div>
            <dt>
              <code>${name}</code> <span class="type">${place}</span>
              ${required ? html`<span class="required">required</span>` : nothing}
            </dt>
            <dd>${inline(description)}</dd>
          </div>`,
      )}
    </dl>`;
}

function requestBody({ components }: OpenApiDocument, { operation }: Call): Html | typeof nothing {
  const [media] = Object.values(operation.requestBody?.content ?? {});
  if (!media) return nothing;
  return html`<h4>Request body</h4>
    ${fieldsOf(media.schema, components.schemas)}`;
}

function responses({ components }: OpenApiDocument, { operation }: Call): Html {
  const rows = Object.entries(operation.responses).map(([status, response]) => {
    const whole = '$ref' in response ? components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
    return whole ? responseOf(status, whole, components.schemas) : nothing;
  });
  return html`<h4>Responses</h4>
    ${rows}`;
}

function responseOf(
  status: string,
  response: ResponseObject,
  schemas: OpenApiDocument['components']['schemas'],
): Html {
  const [media] = Object.values(response.content ?? {});
  const examples = Object.entries(media?.examples ?? {});
  const shown = media?.example ?? examples[0]?.[1].value;
  const codes = examples.filter(([name]) => /^[A-Z]/.test(name));
  return html`<details class="response">
    <summary><span class="status s${status.charAt(0)}">${status}</span> ${response.description}</summary>
    ${
      codes.length > 0
        ? html`<p>
            Codes: ${codes.map(([code]) => html`<a href="docs/errors#${code}"><code>${code}</code></a> `)}
          </p>`
        : nothing
    }
    ${media && Number(status) < 400 ? fieldsOf(resolved(media.schema, schemas), schemas) : nothing}
    ${shown === undefined ? nothing : html`<pre tabindex="0"><code>${json(shown)}</code></pre>`}
  </details>`;
}

function samples(call: Call): Html {
  const sample = (kind: string, name: string, text: string) =>
    html`<div class="sample ${kind}">
      <span class="language">${name}</span>
      <pre tabindex="0"><code>${text}</code></pre>
    </div>`;
  return html`${sample('curl', 'curl', curlSample(call))}
  ${sample('typescript', 'TypeScript', typescriptSample(call))}`;
}

/** A form that sends the request. A file must be chosen by hand, so operations with a file have none. */
function tryIt({ components }: OpenApiDocument, call: Call): Html | typeof nothing {
  const { method, path, operation } = call;
  const body = bodyOf(call);
  const id = operation.operationId;
  if (operation.requestBody && body === undefined) return nothing;
  const inputs = ownParameters(call).map(({ name, schema, required }) => {
    const values = resolved(schema, components.schemas).enum;
    const field = `${id}-${name}`;
    return html`<label for="${field}">${name}</label> ${
        values
          ? html`<select id="${field}" name="${name}">
              ${required ? nothing : html`<option value=""></option>`}
              ${values.map(value => html`<option>${String(value)}</option>`)}
            </select>`
          : html`<input id="${field}" name="${name}" autocomplete="off" />`
      }`;
  });
  return html`<form
    class="try"
    data-method="${method}"
    data-path="${path}"
    ${operation.security ? 'data-open' : ''}
  >
    <h4>Try it</h4>
    ${inputs}
    ${
      body === undefined
        ? nothing
        : html`<label for="${id}-body">Body</label>
            <textarea id="${id}-body" name="body" rows="8" spellcheck="false">${json(body)}</textarea>`
    }
    <button type="submit">Send ${method} ${path}</button>
    <output aria-live="polite"></output>
  </form>`;
}
