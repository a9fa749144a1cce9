import type { Route } from '../../shared/http/route.ts';
import { createProfile } from './create.ts';
import { deleteProfile } from './delete.ts';
import { getProfile } from './get.ts';
import { listProfiles } from './list.ts';
import { updateProfile } from './update.ts';

export const routes: readonly Route[] = [
  listProfiles,
  createProfile,
  getProfile,
  updateProfile,
  deleteProfile,
];
