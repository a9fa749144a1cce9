import type { Route } from '../../shared/http/route.ts';
import { addMember } from './add-member.ts';
import { createApiKey } from './create-api-key.ts';
import { getWorkspace } from './get.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listMembers } from './list-members.ts';
import { deletePlatformApp, getPlatformApp, putPlatformApp } from './platform-apps.ts';
import { removeMember } from './remove-member.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { updateMember } from './update-member.ts';

export const routes: readonly Route[] = [
  getWorkspace,
  listMembers,
  addMember,
  updateMember,
  removeMember,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  putPlatformApp,
  getPlatformApp,
  deletePlatformApp,
];
