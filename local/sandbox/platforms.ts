import type { PlatformId } from '../../shared/model/platform.ts';
import type { SandboxFactory } from '../../shared/platforms/sandbox-kit.ts';

/** The doubles that the sandbox houses. */
export const DOUBLES: Readonly<Partial<Record<PlatformId, SandboxFactory>>> = {};
