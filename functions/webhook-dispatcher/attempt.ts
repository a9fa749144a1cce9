import { open } from '../../shared/aws/key-ring.ts';
import { MAX_DELAY_S } from '../../shared/aws/queue.ts';
import { deliveryMessage } from '../../shared/events/messages.ts';
import { scheduleEventMessage, sendEventMessage } from '../../shared/events/publish.ts';
import { retryDelay } from '../../shared/events/retry.ts';
import { deliveryHeaders, type Secrets } from '../../shared/events/signature.ts';
import type { Delivery, Webhook } from '../../shared/model/webhook.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import { describeError, log } from '../../shared/runtime/log.ts';
import type { Services } from '../../shared/runtime/services.ts';
import {
  WAKE_GRACE,
  getDelivery,
  getWebhook,
  recordAttempt,
  updateWebhook,
  type DeliveryRef,
  type Progress,
} from '../../shared/store/webhooks.ts';
import { DAY, MINUTE, SECOND } from '../../shared/time/instant.ts';
import { exchange, type Outcome } from './exchange.ts';

export interface Dispatcher {
  services: Pick<Services, 'table' | 'sqs' | 'scheduler' | 'setting' | 'keyRing' | 'now'>;
  http: HttpClient;
  /** 0..1, spreads the retries. */
  random: () => number;
}

/** Clocks of two machines may differ by this much: a note that comes a little early is not dropped. */
const EARLY = 2 * SECOND;
/** A webhook with nothing but failures for so long is switched off. */
const FAILING_LIMIT = 5 * DAY;
/** Longest time that a receiver which does not answer is spared. */
const MAX_PAUSE = 5 * MINUTE;
const DELIVERED: Progress = { status: 'delivered', next_attempt_at: null, wake_at: null };
const FAILED: Progress = { status: 'failed', next_attempt_at: null, wake_at: null };

/**
 * Makes the attempt that is due. Safe to repeat: a note that comes twice, late or out of turn finds a delivery that is
 * not due and does nothing. Two at the same moment send the same id and bytes twice, and one of them is recorded.
 */
export async function attemptDelivery(ref: DeliveryRef, dispatcher: Dispatcher): Promise<void> {
  const { services } = dispatcher;
  const delivery = await getDelivery(services.table, ref);
  if (delivery?.next_attempt_at == null || delivery.next_attempt_at > services.now() + EARLY) return;
  const webhook = await getWebhook(services.table, delivery.workspace_id, delivery.webhook_id);
  if (webhook?.active) await attempt(delivery, webhook, dispatcher);
  else await giveUp(delivery, services);
}

/** Makes an attempt of a delivery and of an active webhook that were just read or stored. */
export async function attempt(delivery: Delivery, webhook: Webhook, dispatcher: Dispatcher): Promise<void> {
  const { services, random } = dispatcher;
  const at = services.now();
  const spared = isSpared(delivery, webhook, at);
  const outcome = spared ? SPARED : await send(delivery, webhook, dispatcher);
  const active = spared || (await keepHealth(webhook, outcome, services));
  const next = active ? progressAfter(delivery, outcome, services.now(), random()) : FAILED;
  const { status_code, duration_ms, error } = outcome;
  const recorded = await recordAttempt(
    services.table,
    delivery,
    { at, status_code, duration_ms, error },
    next,
  );
  if (recorded && next.status === 'pending') await callAgain(delivery, next.next_attempt_at, services);
}

const SPARED: Outcome = {
  status_code: null,
  duration_ms: 0,
  error: 'Not sent: the receiver gave no answer to others just before',
  timed_out: false,
  retry_after_ms: 0,
};

/**
 * A receiver that keeps timing out would hold ten seconds of a function for each delivery, so for a while its turns pass
 * without it. Never the last turn, nor what a user asks for.
 */
export function isSpared(delivery: Delivery, { paused_until }: Webhook, now: number): boolean {
  if (paused_until === null || paused_until <= now) return false;
  if (delivery.event === 'webhook.test' || delivery.redelivery_of !== null) return false;
  return retryDelay(delivery.attempts.length + 1, 0) !== null;
}

async function send(delivery: Delivery, webhook: Webhook, { services, http }: Dispatcher): Promise<Outcome> {
  const now = services.now();
  const headers = deliveryHeaders(delivery, await secretsOf(webhook, services), now);
  return exchange(http, { url: webhook.url, headers, body: delivery.body }, now);
}

/** Stores what an attempt tells about its webhook. False when the webhook is switched off now. */
async function keepHealth(
  webhook: Webhook,
  outcome: Outcome,
  { table, now }: Dispatcher['services'],
): Promise<boolean> {
  const { workspace_id, id } = webhook;
  // After a failure as it is now: another delivery may have succeeded while this one waited for an answer.
  const current = outcome.error === null ? webhook : await getWebhook(table, workspace_id, id);
  const health = current && healthAfter(current, outcome, now());
  if (!health) return true;
  // Another delivery may succeed at this very moment: then it has not been nothing but failures.
  const seen = health.disabled_reason === 'failing' ? { failing_since: current.failing_since } : {};
  const updated = await updateWebhook(table, workspace_id, id, health, seen);
  return updated?.active !== false;
}

/** The way on after an attempt. The sweeper looks after it a while later, should its note get lost. */
export function progressAfter(delivery: Delivery, outcome: Outcome, now: number, random: number): Progress {
  if (outcome.error === null) return DELIVERED;
  const delay = retryDelay(delivery.attempts.length + 1, random, outcome.retry_after_ms);
  if (delay === null) return FAILED;
  const due = now + delay;
  return { status: 'pending', next_attempt_at: due, wake_at: due + WAKE_GRACE };
}

/**
 * What an attempt changes in its webhook: 410 or days of nothing but failures switch it off. One that times out is left
 * alone for as long as it has been failing.
 */
export function healthAfter(webhook: Webhook, outcome: Outcome, now: number): Partial<Webhook> | null {
  const { failing_since, paused_until } = webhook;
  if (outcome.error === null)
    return failing_since === null ? null : { failing_since: null, paused_until: null };
  if (outcome.status_code === 410) return { active: false, disabled_reason: 'gone', updated_at: now };
  if (failing_since === null) return { failing_since: now };
  const failing = now - failing_since;
  if (failing >= FAILING_LIMIT) return { active: false, disabled_reason: 'failing', updated_at: now };
  if (!outcome.timed_out || (paused_until !== null && paused_until > now)) return null;
  return { paused_until: now + Math.min(failing, MAX_PAUSE) };
}

/** Has the next attempt called in time: by a delayed note, or beyond the queue's longest delay by a schedule. */
async function callAgain(delivery: Delivery, at: number, services: Dispatcher['services']): Promise<void> {
  const message = deliveryMessage(delivery);
  const delayS = Math.max(0, Math.ceil((at - services.now()) / SECOND));
  if (delayS <= MAX_DELAY_S) return sendEventMessage(services, message, delayS);
  const name = `webhook-${delivery.delivery_id}-${delivery.attempts.length + 1}`;
  try {
    await scheduleEventMessage(services, name, message, at);
  } catch (error) {
    log.warn('A retry has no alarm but the sweeper', { ...message.body, ...describeError(error) });
  }
}

/** A webhook that was switched off or deleted gets nothing more; its owner can ask for the delivery again. */
async function giveUp(delivery: Delivery, services: Dispatcher['services']): Promise<void> {
  const last = {
    at: services.now(),
    status_code: null,
    duration_ms: 0,
    error: 'Not sent: the webhook is switched off',
  };
  await recordAttempt(services.table, delivery, last, FAILED);
}

async function secretsOf(webhook: Webhook, services: Dispatcher['services']): Promise<Secrets> {
  const ring = await services.keyRing();
  const { sealed_secret, previous_secret } = webhook;
  const overlaps = previous_secret !== null && previous_secret.expires_at > services.now();
  return {
    current: open(ring, webhook.id, sealed_secret),
    previous: overlaps ? open(ring, webhook.id, previous_secret.sealed) : null,
  };
}
