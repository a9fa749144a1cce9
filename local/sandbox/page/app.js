/* Shows the posts or webhook deliveries of the sandbox and polls for new ones. Content is inserted as text, never as markup. */

const POLL_INTERVAL_MS = 1500;
const PAGE_SIZE = 100;

const page = location.pathname === '/receivers' ? 'deliveries' : 'posts';
const list = document.getElementById('list');
const filters = document.getElementById('filters');
const more = document.getElementById('more');
const state = document.getElementById('state');

let platform = new URLSearchParams(location.search).get('platform') ?? '';
let limit = PAGE_SIZE;
let shown = '';
/** Name and letters of the platforms by id. */
let badges = new Map();

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false)
      node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

/** Text as it was sent; long lines scroll, also by keyboard. */
const code = text => element('pre', { tabindex: '0' }, text);

function webUrl(url) {
  return /^https?:\/\//i.test(url ?? '') ? url : undefined;
}

/** A link if the URL is http(s); other schemes could run scripts. */
function link(href, ...children) {
  if (!webUrl(href)) return element('span', {}, ...children);
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

function time(iso) {
  return element('time', { datetime: iso, title: iso }, new Date(iso).toLocaleString());
}

function nameOf(id) {
  return badges.get(id)?.name ?? id;
}

/** A post with its destinations: one folded row for each platform, with what was published there. */
function postCard(group) {
  const first = group.destinations.find(({ post }) => post !== null);
  return element(
    'article',
    { class: 'card' },
    element(
      'div',
      { class: 'head' },
      element(
        'div',
        { class: 'who' },
        element('b', {}, group.profile ?? 'On the platform only'),
        group.due_at ? element('span', {}, ...dueText(group)) : null,
      ),
      element('span', { class: `kind ${group.status}` }, group.status.replaceAll('_', ' ')),
    ),
    first ? null : element('div', { class: 'text' }, group.text ?? ''),
    element(
      'div',
      { class: 'destinations' },
      ...group.destinations.map(each => destinationRow(each, each === first)),
    ),
  );
}

function dueText({ scheduling, due_at }) {
  return scheduling === 'immediate'
    ? ['sent ', time(due_at)]
    : [`${scheduling.replace('_', ' ')} for `, time(due_at)];
}

function destinationRow(destination, isOpen) {
  const { platform, handle, status, error, post, next_attempt_at } = destination;
  return element(
    'details',
    { open: isOpen || error !== null },
    element(
      'summary',
      {},
      element(
        'span',
        { class: `badge ${platform}`, 'aria-hidden': 'true' },
        badges.get(platform)?.letters ?? '?',
      ),
      element('b', {}, nameOf(platform)),
      element('span', { class: 'handle' }, handle),
      element('span', { class: `outcome ${status}` }, status, lateness(destination)),
    ),
    error
      ? element(
          'p',
          { class: 'error' },
          element('code', {}, error.code),
          ` ${error.message} `,
          element('i', {}, error.remedy),
          next_attempt_at ? element('span', {}, ' Next attempt ', time(next_attempt_at)) : null,
        )
      : null,
    ...(post ? published(destination, post) : []),
  );
}

/** Late or early by how much, from the time at which the post was due. */
function lateness({ late_ms }) {
  if (late_ms === null) return '';
  return ` ${(Math.abs(late_ms) / 1000).toFixed(1)} s ${late_ms < 0 ? 'early' : 'after it was due'}`;
}

function published({ alt_texts }, post) {
  return [
    post.title && element('div', { class: 'title' }, post.title),
    post.text.length > 0 ? element('div', { class: 'text' }, ...runs(post.text)) : null,
    post.media.length > 0 ? mediaGrid(post.media, alt_texts) : null,
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
      element('span', {}, `${post.kind}, `, time(post.published_at)),
      element(
        'span',
        { title: 'Nothing was sent to the real platform, so this address leads to no post' },
        `simulated: ${post.platform_post_url ? shortUrl(post.platform_post_url) : `id ${post.platform_post_id}`}`,
      ),
    ),
  ].filter(Boolean);
}

function runs(text) {
  return text.map(run => (run.href ? link(run.href, run.text) : run.text));
}

function shortUrl(url) {
  const bare = url.replace(/^https?:\/\//, '');
  return bare.length > 58 ? `${bare.slice(0, 40)}…${bare.slice(-14)}` : bare;
}

function mediaGrid(media, altTexts) {
  const many = media.length > 1 ? ` many${media.length % 2 ? ' odd' : ''}` : '';
  return element(
    'div',
    { class: `media${many}` },
    ...media.map((item, index) => mediaItem(item, altTexts[index])),
  );
}

/** A file, and below it the text that stands for it. */
function mediaItem(item, altText) {
  const shown = mediaElement(item, altText);
  return altText ? element('figure', {}, shown, element('figcaption', {}, `Alt text: ${altText}`)) : shown;
}

function mediaElement(item, altText) {
  const src = item.sha256 ? `/_control/media/${item.sha256}` : webUrl(item.url);
  if (!src) return fileLine(item, undefined);
  const size = { width: item.width, height: item.height };
  if (item.type.startsWith('image/')) {
    const picture = element('img', {
      src,
      alt: altText ?? 'Image without an alt text',
      loading: 'lazy',
      ...size,
    });
    return element('a', { href: src, target: '_blank', rel: 'noopener noreferrer' }, picture);
  }
  if (item.type.startsWith('video/')) {
    // The fragment makes browsers show the first frame before playback.
    return element('video', {
      'aria-label': altText ?? 'Video of the post',
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
    true: { class: 'good', text: 'signature verified' },
    false: { class: 'bad', text: 'invalid signature' },
    null: { class: '', text: 'signature not verified: unknown secret' },
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
    code(body ? JSON.stringify(body, null, 2) : delivery.body || '(no body)'),
    element(
      'details',
      {},
      element('summary', {}, 'Headers'),
      code(
        Object.entries(delivery.headers)
          .map(pair => pair.join(': '))
          .join('\n'),
      ),
    ),
    element(
      'div',
      { class: 'meta' },
      time(delivery.at),
      element('span', { class: signature.class }, signature.text),
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

function emptyState(title, text, command) {
  return element(
    'div',
    { class: 'card empty' },
    element('h2', {}, title),
    element('p', {}, text),
    code(command),
  );
}

function emptyPosts() {
  const where = platform ? ` on ${nameOf(platform)}` : '';
  return emptyState(
    `No posts${where} yet`,
    'Posts appear here as soon as they are created, and what the platforms show of them. Create one with the API key that npm start printed:',
    `curl "$BASE_URL/posts" -H "Authorization: Bearer $API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"profile_name":"Demo","post_type":"text","platforms":["x"],"description":"Hello"}'`,
  );
}

function emptyDeliveries() {
  return emptyState(
    'No webhook deliveries yet',
    'Register this URL as a webhook; deliveries appear here with their signatures verified. Each name at the end of the URL is a receiver of its own.',
    `${location.origin}/_receiver/demo`,
  );
}

function filterButtons(counts, total) {
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
  limit = PAGE_SIZE;
  history.replaceState(null, '', id ? `/?platform=${encodeURIComponent(id)}` : '/');
  void refresh();
}

function showPosts({ platforms, counts, all, total, groups }) {
  badges = new Map(platforms.map(badge => [badge.id, badge]));
  filters.replaceChildren(...filterButtons(counts, all));
  showCards(groups, postCard, emptyPosts);
  more.hidden = groups.length >= total;
}

function showDeliveries({ deliveries }) {
  showCards(deliveries, deliveryCard, emptyDeliveries);
  more.hidden = deliveries.length < limit;
}

/** Keeps the nodes of unchanged cards, so that videos go on playing and opened details stay open. */
function showCards(items, cardOf, emptyCard) {
  const before = new Map([...list.children].map(node => [node.content, node]));
  const cards = items.map(item => {
    const content = JSON.stringify(item);
    return before.get(content) ?? Object.assign(cardOf(item), { content });
  });
  const nodes = cards.length > 0 ? cards : [emptyCard()];
  for (const node of [...list.children]) if (!nodes.includes(node)) node.remove();
  for (const [index, node] of nodes.entries()) {
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
  }
}

function show(text) {
  const key = `${platform} ${limit} ${text}`;
  if (key === shown) return;
  shown = key;
  (page === 'posts' ? showPosts : showDeliveries)(JSON.parse(text));
}

function showStatus(text, isLost = false) {
  state.className = isLost ? 'lost' : '';
  state.textContent = text;
}

async function refresh() {
  try {
    const query = new URLSearchParams({ platform, limit: String(limit) });
    const response = await fetch(`/_page/${page}?${query}`, { signal: AbortSignal.timeout(10_000) });
    show(await response.text());
    showStatus('live');
  } catch {
    showStatus('disconnected', true);
  }
}

async function poll() {
  if (!document.hidden) await refresh();
  setTimeout(poll, POLL_INTERVAL_MS);
}

document.querySelector(`nav a[data-page="${page}"]`).setAttribute('aria-current', 'page');
more.addEventListener('click', () => {
  limit += PAGE_SIZE;
  void refresh();
});
show(document.getElementById('first').textContent.trim());
showStatus('live');
void poll();
