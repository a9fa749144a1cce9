import type { PlatformId } from '../model/platform.ts';
import type { Connector } from '../platforms/contract/connector.ts';
import { LOAD_CONNECTOR } from '../platforms/registry/load-connector.ts';

/** Loads the connector of a platform; undefined where accounts cannot be connected to it. */
export const connectorOf = async (platform: PlatformId): Promise<Connector | undefined> =>
  LOAD_CONNECTOR[platform]?.();
