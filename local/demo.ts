import * as v from 'valibot';
import { PlatformIdSchema } from '../shared/model/platform.ts';
import type { LocalStore } from './store.ts';

/** What the first start creates, for later ones. */
export const SeedSchema = v.object({
  workspace_id: v.string(),
  api_key: v.string(),
  /** Platforms that the profile has been connected to. */
  connected: v.optional(v.array(PlatformIdSchema), []),
});
export type Seed = v.InferOutput<typeof SeedSchema>;

/** Id of the workspace Demo; null until it is created. */
export const demoWorkspace = (store: LocalStore): string | null =>
  store.collection('seed', SeedSchema).get('demo')?.workspace_id ?? null;
