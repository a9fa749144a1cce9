import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import { newId } from '../../../model/id.ts';
import type { SandboxDefinition, SandboxHost, SandboxPlatform } from '../../contract/sandbox.ts';

const BOARD = { id: 'town-hall', name: 'Town hall' };
const PASSWORD = 'sandbox-password';
const SECTIONS = [
  { id: '1', name: 'News' },
  { id: '2', name: 'Lost and found' },
];

/** The Noticeboard API with one board. */
export const sandbox: SandboxDefinition = {
  platform: 'noticeboard',
  badge: { name: 'Noticeboard', letters: 'N', color: '#6b4f2a' },
  hosts: ['api.noticeboard.example'],
  secrets: { fields: ['password', 'token'] },
  demo: { body: { board: BOARD.id, password: PASSWORD } },
  start,
};

const LoginSchema = v.strictObject({ board: v.string(), password: v.string() });
const NoticeSchema = v.strictObject({
  key: v.string(),
  text: v.pipe(v.string(), v.nonEmpty(), v.maxLength(200)),
  section: v.exactOptional(v.picklist(SECTIONS.map(({ id }) => id))),
});
const StoredSchema = v.object({ id: v.string(), url: v.string(), pinned: v.boolean() });

function start(host: SandboxHost): SandboxPlatform {
  const tokens = host.collection('tokens', v.literal(true));
  const notices = host.collection('notices', StoredSchema);
  const app = new Hono().basePath('/api.noticeboard.example/v1');

  const refuse = (c: Context, status: 400 | 401 | 404, error: string) => c.json({ error }, status);

  app.post('/login', async c => {
    const parsed = v.safeParse(LoginSchema, await c.req.json());
    const isKnown = parsed.success && parsed.output.board === BOARD.id && parsed.output.password === PASSWORD;
    if (!isKnown) return refuse(c, 400, 'Wrong board or password');
    const token = newId();
    tokens.set(token, true);
    return c.json({ token, board: BOARD });
  });

  app.use('*', async (c, next) => {
    const token = c.req.header('authorization')?.replace(/^Bearer /, '') ?? '';
    if (!tokens.get(token)) return refuse(c, 401, 'Invalid token');
    return next();
  });

  app.get('/sections', c => c.json({ sections: SECTIONS }));

  app.post('/notices', async c => {
    const parsed = v.safeParse(NoticeSchema, await c.req.json());
    if (!parsed.success) return refuse(c, 400, parsed.issues[0].message);
    const { key, text } = parsed.output;
    const known = notices.get(key);
    if (known) return c.json(known);
    const id = newId();
    const notice = { id, url: `https://noticeboard.example/${BOARD.id}/${id}`, pinned: false };
    notices.set(key, notice);
    host.publish({
      platform: 'noticeboard',
      account: BOARD.id,
      platform_post_id: id,
      platform_post_url: notice.url,
      kind: 'text',
      text,
      title: null,
      media: [],
      comments: [],
      fields: parsed.output,
      published_at: new Date(host.now()).toISOString(),
    });
    return c.json(notice);
  });

  app.get('/notices', c => {
    const found = notices.get(c.req.query('key') ?? '');
    return c.json({ notices: found ? [found] : [] });
  });

  app.put('/notices/:id/pin', c => {
    const entry = notices.entries().find(([, { id }]) => id === c.req.param('id'));
    if (!entry) return refuse(c, 404, 'No such notice');
    const [key, notice] = entry;
    notices.set(key, { ...notice, pinned: true });
    return c.json({ ...notice, pinned: true });
  });

  return {
    app,
    tokens: () => tokens.clear(),
    reset: () => {
      tokens.clear();
      notices.clear();
    },
  };
}
