import { readHtml } from '../../net/html.ts';

/** What a page says about itself. */
export interface PageMetadata {
  /** On one line; empty where the page has none. */
  title: string;
  description: string;
  /** Addresses of pictures as they were written, best first. */
  pictures: readonly string[];
}

/** Names of `<meta property|name=…>` by what they describe: Open Graph first, then Twitter cards, then plain HTML. */
const TITLES = ['og:title', 'twitter:title'];
const DESCRIPTIONS = ['og:description', 'twitter:description', 'description'];
const OPEN_GRAPH_PICTURES = ['og:image', 'og:image:url', 'og:image:secure_url'];
const TWITTER_PICTURES = ['twitter:image', 'twitter:image:src'];

/** A page may declare any number of tags. */
const MAX_TAGS = 200;
const MAX_TITLE = 2000;

interface MetaTag {
  name: string;
  content: string;
}

/** Reads the description of a page from its markup, of which the end may be missing. */
export function readPageMetadata(html: string): PageMetadata {
  const { tags, title } = readHead(html);
  const all = (names: readonly string[]) =>
    tags.filter(({ name }) => names.includes(name)).map(({ content }) => content);
  const first = (names: readonly string[]) => names.flatMap(name => all([name])).at(0);
  return {
    title: oneLine(first(TITLES) ?? title),
    description: first(DESCRIPTIONS) ?? '',
    pictures: [...new Set([...all(OPEN_GRAPH_PICTURES), ...all(TWITTER_PICTURES)])],
  };
}

function readHead(html: string): { tags: MetaTag[]; title: string } {
  const tags: MetaTag[] = [];
  let title = '';
  let titleEnded = false;
  let withinImage = false;
  readHtml(html, {
    startTag: (tag, attributes) => {
      if (tag === 'svg') withinImage = true;
      if (tag === 'meta') tags.push(...metaTag(attributes));
      return tag !== 'body' && tags.length < MAX_TAGS;
    },
    text: (text, parent) => {
      if (parent !== 'title' || titleEnded || withinImage) return;
      if (title.length < MAX_TITLE) title += text;
    },
    endTag: tag => {
      if (tag === 'svg') withinImage = false;
      // The titles of inline images follow that of the page.
      if (tag === 'title' && title !== '') titleEnded = true;
    },
  });
  return { tags, title };
}

function metaTag(attributes: ReadonlyMap<string, string>): MetaTag[] {
  const name = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase();
  const content = attributes.get('content')?.trim() ?? '';
  return name === '' || content === '' ? [] : [{ name, content }];
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
