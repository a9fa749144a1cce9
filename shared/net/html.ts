import { Tokenizer } from 'htmlparser2';

/** What `readHtml` reports, in document order. Names are in lower case, entities are decoded. */
export interface HtmlVisitor {
  /** Called for each start tag. Return false to stop reading. */
  startTag?: (name: string, attributes: ReadonlyMap<string, string>) => boolean | undefined;
  /** `parent`: name of the start tag before the text, null after an end tag. Contents of scripts are not reported. */
  text?: (text: string, parent: string | null) => void;
  endTag?: (name: string) => void;
  /** Called with the text within `<!` and `>`, such as `doctype html`. */
  declaration?: (text: string) => void;
}

const UNREPORTED = new Set(['script', 'style']);

/**
 * Reads markup of any origin, well-formed or not, in time linear to its length. For pages of other hosts use this rather
 * than regular expressions, whose time can be quadratic or worse. Tags are not matched: a parser with a stack of open
 * elements takes quadratic time for nested ones.
 */
export function readHtml(html: string, visitor: HtmlVisitor): void {
  let name = '';
  let attributes = new Map<string, string>();
  let attribute = '';
  let value: string[] = [];
  let parent: string | null = null;
  const lower = (start: number, end: number) => html.slice(start, end).toLowerCase();
  const emitText = (text: string) => {
    if (parent === null || !UNREPORTED.has(parent)) visitor.text?.(text, parent);
  };
  const emitStartTag = () => {
    parent = name;
    if (visitor.startTag?.(name, attributes) === false) tokenizer.pause();
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, end) => {
        name = lower(start, end);
        attributes = new Map();
      },
      onattribname: (start, end) => {
        attribute = lower(start, end);
        value = [];
      },
      onattribdata: (start, end) => void value.push(html.slice(start, end)),
      onattribentity: codepoint => void value.push(String.fromCodePoint(codepoint)),
      onattribend: () => {
        if (!attributes.has(attribute)) attributes.set(attribute, value.join(''));
      },
      onopentagend: emitStartTag,
      onselfclosingtag: emitStartTag,
      onclosetag: (start, end) => {
        parent = null;
        visitor.endTag?.(lower(start, end));
      },
      ontext: (start, end) => emitText(html.slice(start, end)),
      ontextentity: codepoint => emitText(String.fromCodePoint(codepoint)),
      ondeclaration: (start, end) => visitor.declaration?.(html.slice(start, end)),
      oncdata: () => undefined,
      oncomment: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  );
  tokenizer.write(html);
  if (tokenizer.running) tokenizer.end();
}
