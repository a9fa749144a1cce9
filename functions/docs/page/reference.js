/* global document, window, location, history, fetch, sessionStorage, localStorage, crypto, matchMedia */
// Without this script the page can be read; it adds search, the choices of a reader, and the forms that send requests.
const SAMPLE_BASE = 'https://api.example.com/v1';
const SAMPLE_PROFILE = 'Acme Coffee';
const HOUR_MS = 3_600_000;

const root = document.documentElement;
const find = id => document.getElementById(id);
const all = selector => [...document.querySelectorAll(selector)];
const base = new URL(location.pathname.includes('/docs/') ? '..' : '.', location.href).href.replace(
  /\/$/,
  '',
);

function showTheme(theme) {
  root.dataset.theme = theme;
  const button = find('theme');
  if (button) button.textContent = theme === 'dark' ? 'Light mode' : 'Dark mode';
}

function startTheme() {
  showTheme(
    localStorage.getItem('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'),
  );
  find('theme')?.addEventListener('click', () => {
    showTheme(root.dataset.theme === 'dark' ? 'light' : 'dark');
    localStorage.setItem('theme', root.dataset.theme);
  });
}

function showLanguage(language) {
  root.dataset.language = language;
  find('language').setAttribute('aria-pressed', String(language === 'typescript'));
}

function startLanguage() {
  showLanguage(localStorage.getItem('language') ?? 'curl');
  find('language').addEventListener('click', () => {
    showLanguage(root.dataset.language === 'typescript' ? 'curl' : 'typescript');
    localStorage.setItem('language', root.dataset.language);
  });
}

function startMenu() {
  const menu = find('menu');
  menu.addEventListener('click', () => {
    const open = find('operations').classList.toggle('open');
    menu.setAttribute('aria-expanded', String(open));
  });
  find('operations').addEventListener('click', event => {
    if (!event.target.closest('a')) return;
    find('operations').classList.remove('open');
    menu.setAttribute('aria-expanded', 'false');
  });
}

/** Finds operations by the words of their whole text, fields included. */
function startSearch() {
  const entries = all('li[data-for]').map(item => ({
    item,
    section: find(item.dataset.for),
    text: `${item.dataset.text} ${find(item.dataset.for).querySelector('.text').textContent}`.toLowerCase(),
  }));
  find('search').addEventListener('input', event => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.filter(({ text }) => words.every(word => text.includes(word)));
    for (const entry of entries) entry.item.hidden = entry.section.hidden = !found.includes(entry);
    for (const group of all('.group')) group.hidden = !group.querySelector('.operation:not([hidden])');
    find('operations').classList.toggle('open', words.length > 0);
    find('matches').textContent = words.length === 0 ? '' : `${found.length} of ${entries.length} operations`;
  });
}

/** The key is kept for the session. The link that the local stack prints brings it along, in the part that is never sent. */
function startKey() {
  const given = /^#key=(.+)$/.exec(location.hash)?.[1];
  if (given) {
    sessionStorage.setItem('key', given);
    history.replaceState(null, '', location.pathname);
  }
  const field = find('key');
  field.value = sessionStorage.getItem('key') ?? '';
  field.addEventListener('input', () => sessionStorage.setItem('key', field.value.trim()));
}

const callerKey = () => find('key').value.trim();

function request(method, path, { open = false, body } = {}) {
  return fetch(`${base}${path}`, {
    method,
    headers: {
      ...(open ? {} : { authorization: `Bearer ${callerKey()}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { 'idempotency-key': crypto.randomUUID() } : {}),
    },
    ...(body === undefined ? {} : { body }),
  });
}

/** Puts the caller's first profile into a body, and times that lie ahead. */
async function adapted(text) {
  const tomorrow = new Date(Math.ceil(Date.now() / HOUR_MS + 24) * HOUR_MS).toISOString();
  const dated = text.replace(/"20\d\d-\d\d-\d\dT[^"]*"/g, `"${tomorrow}"`);
  return dated.includes(SAMPLE_PROFILE) ? dated.replaceAll(SAMPLE_PROFILE, await profileName()) : dated;
}

async function profileName() {
  const response = await request('GET', '/agency/profiles');
  const { profiles = [] } = await response.json();
  return profiles[0]?.profile_name ?? SAMPLE_PROFILE;
}

/** The first id that the list above a resource has: `/posts` for `/posts/{id}`. */
async function firstId(path) {
  const response = await request('GET', path.slice(0, path.indexOf('/{')));
  return /"(?:id|\w+_id)":\s*"([0-9a-f-]{36})"/.exec(await response.text())?.[1] ?? '';
}

async function targetOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll('input, select')) {
    const slot = `{${input.name}}`;
    if (path.includes(slot)) {
      if (input.value === '') input.value = await firstId(path);
      path = path.replace(slot, encodeURIComponent(input.value));
    } else {
      if (input.name === 'profile_name' && input.value === '') input.value = await profileName();
      if (input.value !== '') query.set(input.name, input.value);
    }
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

async function send(form) {
  const { method } = form.dataset;
  const open = 'open' in form.dataset;
  if (!open && callerKey() === '') {
    find('key').focus();
    return 'Enter an API key first: the local stack prints one when it starts.';
  }
  const textarea = form.querySelector('textarea');
  if (textarea && textarea.value === textarea.defaultValue) textarea.value = await adapted(textarea.value);
  const started = performance.now();
  const response = await request(method, await targetOf(form), { open, body: textarea?.value });
  const text = await response.text();
  const head = `${response.status} in ${Math.round(performance.now() - started)} ms`;
  return text === '' ? head : `${head}\n${pretty(text)}`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function startForms() {
  for (const form of all('form.try')) {
    form.addEventListener('submit', async event => {
      event.preventDefault();
      const output = form.querySelector('output');
      const result = document.createElement('pre');
      result.tabIndex = 0;
      output.replaceChildren(result);
      result.textContent = 'Sending …';
      result.textContent = await send(form).catch(error => String(error));
    });
  }
}

/** Samples name the address of this deployment. */
function startSamples() {
  for (const code of all('pre code')) {
    if (code.textContent.includes(SAMPLE_BASE))
      code.textContent = code.textContent.replaceAll(SAMPLE_BASE, base);
  }
}

startTheme();
if (find('operations')) {
  startLanguage();
  startMenu();
  startKey();
  startSearch();
  startSamples();
  startForms();
  window.addEventListener('hashchange', startKey);
}
