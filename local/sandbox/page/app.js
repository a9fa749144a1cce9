/* Shows what the sandbox holds, and asks again every second and a half. Everything goes in as text, never as markup. */

const NAMES = { x: 'X', bluesky: 'Bluesky', telegram: 'Telegram' };
const SIGNS = { x: 'X', bluesky: 'B', telegram: 'T' };
const EVERY_MS = 1500;
const STEP = 100;

const page = location.pathname === '/receivers' ? 'deliveries' : 'posts';
const list = document.getElementById('list');
const filters = document.getElementById('filters');
const more = document.getElementById('more');
const state = document.getElementById('state');

let platform = new URLSearchParams(location.search).get('platform') ?? '';
let limit = STEP;
let shown = '';

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false)
      node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

function webAddress(url) {
  return /^https?:\/\//i.test(url ?? '') ? url : undefined;
}

/** A link for web addresses only: no script hides behind one. */
function link(href, ...children) {
  if (!webAddress(href)) return element('span', {}, ...children);
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

function time(iso) {
  return element('time', { datetime: iso, title: iso }, new Date(iso).toLocaleString());
}

function nameOf(id) {
  return NAMES[id] ?? id;
}

function postCard(post) {
  return element(
    'article',
    { class: 'card' },
    element(
      'div',
      { class: 'head' },
      element(
        'span',
        { class: `badge ${post.platform}`, 'aria-hidden': 'true' },
        SIGNS[post.platform] ?? '?',
      ),
      element(
        'div',
        { class: 'who' },
        element('b', {}, nameOf(post.platform)),
        element('span', {}, post.account),
      ),
      element('span', { class: 'kind' }, post.kind),
    ),
    post.title && element('div', { class: 'title' }, post.title),
    post.text.length > 0 ? element('div', { class: 'text' }, ...runs(post.text)) : null,
    post.media.length > 0 ? mediaGrid(post.media) : null,
    post.comments.length > 0
      ? element(
          'ul',
          { class: 'comments', 'aria-label': 'Comments' },
          ...post.comments.map(text => element('li', { class: 'text' }, ...runs(text))),
        )
      : null,
    element(
      'div',
      { class: 'meta' },
      time(post.published_at),
      post.platform_post_url
        ? link(post.platform_post_url, shortUrl(post.platform_post_url))
        : `id ${post.platform_post_id}`,
    ),
  );
}

function runs(text) {
  return text.map(run => (run.href ? link(run.href, run.text) : run.text));
}

function shortUrl(url) {
  const bare = url.replace(/^https?:\/\//, '');
  return bare.length > 58 ? `${bare.slice(0, 40)}…${bare.slice(-14)}` : bare;
}

function mediaGrid(media) {
  const many = media.length > 1 ? ` many${media.length % 2 ? ' odd' : ''}` : '';
  return element('div', { class: `media${many}` }, ...media.map(mediaItem));
}

function mediaItem(item) {
  const src = item.sha256 ? `/_control/media/${item.sha256}` : webAddress(item.url);
  if (!src) return fileLine(item, undefined);
  const size = { width: item.width, height: item.height };
  if (item.type.startsWith('image/')) {
    const picture = element('img', { src, alt: 'Picture of the post', loading: 'lazy', ...size });
    return element('a', { href: src, target: '_blank', rel: 'noopener noreferrer' }, picture);
  }
  if (item.type.startsWith('video/')) {
    // The fragment makes browsers show the first picture before anything is played.
    return element('video', {
      src: `${src}#t=0.01`,
      controls: true,
      preload: 'metadata',
      playsinline: true,
      ...size,
    });
  }
  return fileLine(item, src);
}

function fileLine(item, src) {
  const kind = (item.type.split('/')[1] ?? 'file')
    .split(/[.;+-]/)
    .at(-1)
    .toUpperCase();
  const bytes = item.size === undefined ? item.type : `${item.size.toLocaleString()} bytes`;
  return element(
    src ? 'a' : 'div',
    { class: 'file', href: src, target: '_blank' },
    element('b', {}, kind),
    bytes,
  );
}

function deliveryCard(delivery) {
  const body = parsed(delivery.body);
  const signature = {
    true: { class: 'good', says: 'signature verified' },
    false: { class: 'bad', says: 'signature wrong' },
    null: { class: '', says: 'signature not checked: its secret is not known here' },
  }[delivery.verified];
  return element(
    'article',
    { class: 'card' },
    element(
      'div',
      { class: 'head' },
      element(
        'div',
        { class: 'who' },
        element('b', {}, delivery.headers['x-service-event'] ?? body?.event ?? 'request'),
        element('span', {}, body?.id ?? ''),
      ),
      element('span', { class: 'kind' }, delivery.receiver),
    ),
    element('pre', {}, body ? JSON.stringify(body, null, 2) : delivery.body || '(no body)'),
    element(
      'details',
      {},
      element('summary', {}, 'Headers'),
      element(
        'pre',
        {},
        Object.entries(delivery.headers)
          .map(pair => pair.join(': '))
          .join('\n'),
      ),
    ),
    element(
      'div',
      { class: 'meta' },
      time(delivery.at),
      element('span', { class: signature.class }, signature.says),
    ),
  );
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function empty(title, words, command) {
  return element(
    'div',
    { class: 'card empty' },
    element('h2', {}, title),
    element('p', {}, words),
    element('pre', {}, command),
  );
}

function emptyPosts() {
  const where = platform ? ` on ${nameOf(platform)}` : '';
  return empty(
    `Nothing is published${where} yet`,
    'Posts appear here by themselves as soon as a platform has taken them. Send one with the key from the banner of npm start:',
    `curl "$BASE_URL/posts" -H "Authorization: Bearer $API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"profile_name":"Demo","post_type":"text","platforms":["x"],"description":"Hello"}'`,
  );
}

function emptyDeliveries() {
  return empty(
    'No webhook has arrived yet',
    'Register this address as a webhook, and deliveries appear here, their signatures checked. Any last word will do; each is a receiver of its own.',
    `${location.origin}/_receiver/demo`,
  );
}

function filterButtons(counts) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const button = (id, label, count) => {
    const node = element(
      'button',
      { type: 'button', 'aria-pressed': String(platform === id) },
      `${label} ${count}`,
    );
    node.addEventListener('click', () => choose(id));
    return node;
  };
  return [
    button('', 'All', total),
    ...Object.entries(counts).map(([id, count]) => button(id, nameOf(id), count)),
  ];
}

function choose(id) {
  platform = id;
  limit = STEP;
  history.replaceState(null, '', id ? `/?platform=${encodeURIComponent(id)}` : '/');
  void refresh();
}

function showPosts({ counts, total, posts }) {
  filters.replaceChildren(...filterButtons(counts));
  showCards(posts, postCard, emptyPosts);
  more.hidden = posts.length >= total;
}

function showDeliveries({ deliveries }) {
  showCards(deliveries, deliveryCard, emptyDeliveries);
  more.hidden = deliveries.length < limit;
}

/** Cards that did not change stay where they are: a video plays on, and what was opened stays open. */
function showCards(items, cardOf, emptyCard) {
  const before = new Map([...list.children].map(node => [node.content, node]));
  const cards = items.map(item => {
    const content = JSON.stringify(item);
    return before.get(content) ?? Object.assign(cardOf(item), { content });
  });
  const wanted = cards.length > 0 ? cards : [emptyCard()];
  for (const node of [...list.children]) if (!wanted.includes(node)) node.remove();
  for (const [index, node] of wanted.entries()) {
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
  }
}

function show(text) {
  const key = `${platform} ${limit} ${text}`;
  if (key === shown) return;
  shown = key;
  (page === 'posts' ? showPosts : showDeliveries)(JSON.parse(text));
}

function tell(words, lost = false) {
  state.className = lost ? 'lost' : '';
  state.textContent = words;
}

async function refresh() {
  try {
    const query = new URLSearchParams({ platform, limit: String(limit) });
    const response = await fetch(`/_page/${page}?${query}`, { signal: AbortSignal.timeout(10_000) });
    show(await response.text());
    tell('live');
  } catch {
    tell('not running', true);
  }
}

async function poll() {
  if (!document.hidden) await refresh();
  setTimeout(poll, EVERY_MS);
}

document.querySelector(`nav a[data-page="${page}"]`).setAttribute('aria-current', 'page');
more.addEventListener('click', () => {
  limit += STEP;
  void refresh();
});
show(document.getElementById('first').textContent.trim());
tell('live');
void poll();
