import type { PlatformId } from '../../shared/model/platform.ts';
import type { SandboxDefinition, SandboxPlatform } from '../../shared/platforms/contract/sandbox.ts';

/** A running platform with its definition. */
export interface PlayedPlatform extends SandboxPlatform {
  definition: SandboxDefinition;
}

export type PlayedPlatforms = ReadonlyMap<PlatformId, PlayedPlatform>;

/** Whether the platform's server plays a host; `*.example.com` in its definition covers all subdomains. */
export function playsHost({ definition }: PlayedPlatform, host: string): boolean {
  return definition.hosts.some(
    known => known === host || (known.startsWith('*.') && host.endsWith(known.slice(1))),
  );
}
