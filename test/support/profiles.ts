import type { TestStack } from './stack.ts';

/**
 * Creates profiles that are connected to the demo accounts of the sandbox platforms. Each connection has its own daily
 * cap, so many posts on one day need many profiles.
 */
export async function connectedProfiles(
  stack: TestStack,
  names: readonly string[],
  platforms: readonly string[],
): Promise<void> {
  const { body: logins } = await stack.control<Record<string, object>>('GET', '/_control/demo');
  for (const name of names) {
    await expectStatus(201, stack.api('POST', '/agency/profiles', { username: name }));
    for (const platform of platforms) await connect(stack, name, platform, logins[platform] ?? {});
  }
}

/** Connects a profile as another user of the sandbox's consent page than the demo user. */
export const connectAs = (stack: TestStack, profile: string, platform: string, user: string): Promise<void> =>
  connect(stack, profile, platform, {}, user);

async function connect(
  stack: TestStack,
  profile: string,
  platform: string,
  login: object,
  user?: string,
): Promise<void> {
  const begin = () =>
    stack.api<{ authorize_url: string; retry_after?: number }>('POST', `/integrations/${platform}/connect`, {
      profile_name: profile,
      ...login,
    });
  let started = await begin();
  // Bluesky accepts thirty logins of an account in five minutes.
  if (started.body.retry_after !== undefined) {
    await stack.advance(started.body.retry_after + 1);
    started = await begin();
  }
  if (started.status === 201) return;
  if (started.status !== 200)
    throw new Error(`${platform}: ${started.status} ${JSON.stringify(started.body)}`);
  const page = new URL(started.body.authorize_url);
  page.searchParams.set('auto', 'allow');
  if (user !== undefined) page.searchParams.set('as', user);
  const consent = await fetch(page, { redirect: 'manual' });
  const callback = await fetch(consent.headers.get('location') ?? '', { redirect: 'manual' });
  if (callback.status >= 400) throw new Error(`${platform}: ${callback.status} ${await callback.text()}`);
}

async function expectStatus(
  expected: number,
  answer: Promise<{ status: number; body: unknown }>,
): Promise<void> {
  const { status, body } = await answer;
  if (status !== expected) throw new Error(`${status} ${JSON.stringify(body)}`);
}
