import { unseal } from '../../shared/aws/key-ring.ts';
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
  recordAttempt,
  type DeliveryRef,
  type Progress,
  type RecordAttempt,
} from '../../shared/store/webhook-deliveries.ts';
import { getWebhook, updateWebhook } from '../../shared/store/webhooks.ts';
import { DAY, MINUTE, SECOND } from '../../shared/time/instant.ts';
import { sendAttempt, type Outcome } from './send-attempt.ts';

export interface Dispatcher {
  services: Pick<Services, 'table' | 'sqs' | 'scheduler' | 'setting' | 'keyRing' | 'now'>;
  http: HttpClient;
  /** 0..1, spreads the retries. */
  random: () => number;
  /** Called with the outcome of each attempt that was sent, once it is stored. */
  report?: (delivery: Delivery, outcome: Outcome) => void;
}

/** Clock skew between machines that is tolerated: a message that arrives this early is processed. */
const MAX_CLOCK_SKEW = 2 * SECOND;
/** A webhook that has only failed for this long is disabled. */
const FAILING_LIMIT = 5 * DAY;
/** Longest pause of a receiver that keeps timing out. */
const MAX_PAUSE = 5 * MINUTE;
const DELIVERED: Progress = { status: 'delivered', next_attempt_at: null, wake_at: null };
const FAILED: Progress = { status: 'failed', next_attempt_at: null, wake_at: null };

/**
 * Makes the attempt that is due. Safe to repeat: a message that arrives twice, late or early finds a delivery that is not
 * due and does nothing. Two concurrent messages send the same id and bytes twice; one of them is recorded.
 */
export async function attemptDelivery(ref: DeliveryRef, dispatcher: Dispatcher): Promise<void> {
  const { services } = dispatcher;
  const delivery = await getDelivery(services.table, ref);
  if (delivery?.next_attempt_at == null || delivery.next_attempt_at > services.now() + MAX_CLOCK_SKEW) return;
  const webhook = await getWebhook(services.table, delivery.workspace_id, delivery.webhook_id);
  if (webhook?.active) await attempt(delivery, webhook, dispatcher);
  else await recordNotSent(delivery, services);
}

/** Makes an attempt of a delivery to an active webhook and stores it by `record`; both were just read or made. */
export async function attempt(
  delivery: Delivery,
  webhook: Webhook,
  dispatcher: Dispatcher,
  record: RecordAttempt = recordAttempt,
): Promise<void> {
  const { services, random } = dispatcher;
  const at = services.now();
  const skipped = isSkipped(delivery, webhook, at);
  const outcome = skipped ? SKIPPED : await send(delivery, webhook, dispatcher);
  const active = skipped || (await recordHealth(webhook, outcome, services));
  const next = active ? progressAfter(delivery, outcome, services.now(), random()) : FAILED;
  const { status_code, duration_ms, error } = outcome;
  const recorded = await record(services.table, delivery, { at, status_code, duration_ms, error }, next);
  if (recorded && !skipped) dispatcher.report?.(delivery, outcome);
  if (recorded && next.status === 'pending') await enqueueRetry(delivery, next.next_attempt_at, services);
}

const SKIPPED: Outcome = {
  status_code: null,
  duration_ms: 0,
  error: 'Not sent: the receiver did not respond to recent deliveries',
  timed_out: false,
  retry_after_ms: 0,
};

/**
 * True when the attempt is skipped because the webhook is paused: a receiver that keeps timing out would hold a function
 * for ten seconds per delivery. The last attempt, tests and redeliveries are never skipped.
 */
export function isSkipped(delivery: Delivery, { paused_until }: Webhook, now: number): boolean {
  if (paused_until === null || paused_until <= now) return false;
  if (delivery.event === 'webhook.test' || delivery.redelivery_of !== null) return false;
  return retryDelay(delivery.attempts.length + 1, 0) !== null;
}

async function send(delivery: Delivery, webhook: Webhook, { services, http }: Dispatcher): Promise<Outcome> {
  const now = services.now();
  const headers = deliveryHeaders(delivery, await secretsOf(webhook, services), now);
  return sendAttempt(http, { url: webhook.url, headers, body: delivery.body }, now);
}

/** Updates the webhook's health after an attempt. Returns false when the webhook is disabled now. */
async function recordHealth(
  webhook: Webhook,
  outcome: Outcome,
  { table, now }: Dispatcher['services'],
): Promise<boolean> {
  const { workspace_id, id } = webhook;
  // Read again after a failure: another delivery may have succeeded while this one waited for a response.
  const current = outcome.error === null ? webhook : await getWebhook(table, workspace_id, id);
  const health = current && healthAfter(current, outcome, now());
  if (!health) return true;
  // Another delivery may succeed concurrently; then the webhook must not be disabled.
  const expected = health.disabled_reason === 'failing' ? { failing_since: current.failing_since } : {};
  const updated = await updateWebhook(table, workspace_id, id, health, expected);
  return updated?.active !== false;
}

/** Returns the delivery's progress after an attempt. `wake_at` lets the sweeper find it if the message gets lost. */
export function progressAfter(delivery: Delivery, outcome: Outcome, now: number, random: number): Progress {
  if (outcome.error === null) return DELIVERED;
  const delay = retryDelay(delivery.attempts.length + 1, random, outcome.retry_after_ms);
  if (delay === null) return FAILED;
  const due = now + delay;
  return { status: 'pending', next_attempt_at: due, wake_at: due + WAKE_GRACE };
}

/**
 * Returns the changes of a webhook after an attempt, or null. 410, or five days of failures only, disable it. One that times
 * out is paused for as long as it has been failing.
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

/** Sends the message of the next attempt with a delay, or by a schedule beyond the queue's longest delay. */
async function enqueueRetry(delivery: Delivery, at: number, services: Dispatcher['services']): Promise<void> {
  const message = deliveryMessage(delivery);
  const delayS = Math.max(0, Math.ceil((at - services.now()) / SECOND));
  if (delayS <= MAX_DELAY_S) return sendEventMessage(services, message, delayS);
  const name = `webhook-${delivery.delivery_id}-${delivery.attempts.length + 1}`;
  try {
    await scheduleEventMessage(services, name, message, at);
  } catch (error) {
    log.warn('Could not create the schedule; the sweeper will retry this delivery', {
      ...message.body,
      ...describeError(error),
    });
  }
}

/** Fails a delivery to a webhook that was disabled or deleted. It can be redelivered. */
async function recordNotSent(delivery: Delivery, services: Dispatcher['services']): Promise<void> {
  const last = {
    at: services.now(),
    status_code: null,
    duration_ms: 0,
    error: 'Not sent: the webhook is disabled or deleted',
  };
  await recordAttempt(services.table, delivery, last, FAILED);
}

async function secretsOf(webhook: Webhook, services: Dispatcher['services']): Promise<Secrets> {
  const { sealed_secret, previous_secret } = webhook;
  const ring = await services.keyRing(sealed_secret);
  const overlaps = previous_secret !== null && previous_secret.expires_at > services.now();
  return {
    current: unseal(ring, webhook.id, sealed_secret),
    previous: overlaps ? unseal(ring, webhook.id, previous_secret.sealed) : null,
  };
}
