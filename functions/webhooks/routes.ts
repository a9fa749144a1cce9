import type { Route } from '../../shared/http/route.ts';
import { createWebhook } from './create.ts';
import { deleteWebhook } from './delete.ts';
import { listDeliveries } from './deliveries.ts';
import { getWebhook } from './get.ts';
import { listWebhooks } from './list.ts';
import { redeliver } from './redeliver.ts';
import { rotateSecret } from './rotate-secret.ts';
import { testWebhook } from './send-test.ts';
import { updateWebhook } from './update.ts';

/** One row per endpoint. */
export const routes: readonly Route[] = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  listDeliveries,
  redeliver,
];
