import type { PlatformId } from '../../shared/model/platform.ts';
import { sandbox as bluesky } from '../../shared/platforms/bluesky/sandbox/server.ts';
import type { SandboxFactory } from '../../shared/platforms/contract/sandbox.ts';
import { sandbox as telegram } from '../../shared/platforms/telegram/sandbox/server.ts';
import { sandbox as x } from '../../shared/platforms/x/sandbox/server.ts';

/** The doubles that the sandbox houses: one of every platform that the service can publish to. */
export const DOUBLES: Readonly<Partial<Record<PlatformId, SandboxFactory>>> = { x, bluesky, telegram };
