import type { Route } from '../../shared/http/route.ts';
import { createProfile } from './create.ts';
import { listProfiles } from './list.ts';

/** One row an endpoint. */
export const routes: readonly Route[] = [listProfiles, createProfile];
