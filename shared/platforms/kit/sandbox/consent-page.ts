import { html } from 'hono/html';

type Html = ReturnType<typeof html>;

interface Consent {
  title: string;
  /** What the app asks for. */
  question: string;
  scopes: readonly string[];
  /** Label and address of each answer. */
  allow: readonly [string, string];
  deny: readonly [string, string];
}

/** Returns the page on which a user lets an app act for an account. */
export const consentHtml = ({ title, question, scopes, allow, deny }: Consent): Html =>
  page(
    title,
    html`<h1>${question}</h1>
      ${scopes.length > 0 ? html`<p>It asks for:</p>` : ''}
      <ul>
        ${scopes.map(scope => html`<li><code>${scope}</code></li>`)}
      </ul>
      <p class="choices">
        <a class="allow" href="${allow[1]}">${allow[0]}</a>
        <a class="deny" href="${deny[1]}">${deny[0]}</a>
      </p>`,
  );

/** Returns the page of a request that cannot be answered by a redirect. */
export const consentErrorHtml = (title: string, problem: string | null = null): Html =>
  page(
    title,
    html`<h1>${title}</h1>
      <p>${problem ?? ''}</p>`,
  );

const page = (title: string, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <p class="sandbox">Sandbox: no account of yours is touched</p>
          ${content}
        </main>
      </body>
    </html>`;

const STYLE = `
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#eef1f4, #10171d);
  color: light-dark(#16202b, #e6edf2); font: 16px/1.5 system-ui, sans-serif; }
main { width: min(28rem, 100% - 4rem); margin: 1rem; padding: 1.5rem; border-radius: 12px;
  background: light-dark(#fff, #1a2530); box-shadow: 0 1px 12px #0003; }
h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
.sandbox { margin: 0; font-size: 0.85rem; color: light-dark(#4b5a6a, #a9b8c4); }
li { overflow-wrap: anywhere; }
.choices { display: flex; gap: 0.75rem; }
.choices a { padding: 0.5rem 1.25rem; border-radius: 8px; text-decoration: none; border: 1px solid light-dark(#0b5c6b, #6fd3e3); }
.allow { background: light-dark(#0b5c6b, #6fd3e3); color: light-dark(#fff, #10171d); }
.deny { color: light-dark(#0b5c6b, #6fd3e3); }
`;
