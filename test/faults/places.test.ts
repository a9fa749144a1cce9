import { expect, test } from '@jest/globals';
import type { TrafficLine } from '../support/e2e.ts';
import { faultBodies, placeName, placesOf, planName, plansAt, recoveryPlaces } from './places.ts';

const lines = (...requests: string[]): TrafficLine[] =>
  requests.map((request, seq) => {
    const [method = '', path = ''] = request.split(' ');
    return { seq, platform: 'x', method, url: `https://api.x.com${path}`, body: null, status: 200 };
  });

const DELIVERY = lines(
  'POST /oauth2/token',
  'POST /media',
  'POST /media',
  'GET /state',
  'GET /state',
  'POST /posts',
);

test('every request that writes is a place, a repeated request that reads is one, an exchange of tokens is none', () => {
  expect(placesOf(DELIVERY).map(placeName)).toEqual([
    'x POST ^/media$ (1)',
    'x POST ^/media$ (2)',
    'x GET ^/state$ (1)',
    'x POST ^/posts$ (1)',
  ]);
});

test.each([
  ['GET /2/tweets/2128234836215726398', '^/2/tweets/[^/]+$'],
  ['GET /rest/videos/urn%3Ali%3Avideo%3AC4EF4rOHHxN', '^/rest/videos/[^/]+$'],
  ['POST /v26.0/me/media', '^/v26\\.0/me/media$'],
])('the ids in a path match any other: %s', (request, path) => {
  expect(placesOf(lines(request))[0]!.kind.path).toBe(path);
});

test('a request that writes is hit before and after the platform received it, one that reads after', () => {
  const plans = plansAt(placesOf(lines('GET /state', 'POST /posts'))).map(planName);
  expect(plans).toEqual([
    'kill after x GET ^/state$ (1)',
    'drop after x GET ^/state$ (1)',
    'kill before x POST ^/posts$ (1)',
    'drop before x POST ^/posts$ (1)',
    'kill after x POST ^/posts$ (1)',
    'drop after x POST ^/posts$ (1)',
  ]);
});

test('the recovery consists of new kinds of requests and the repetition of the one that publishes', () => {
  const seen = lines('POST /media', 'POST /media', 'POST /media', 'POST /posts', 'GET /posts', 'POST /posts');
  expect(recoveryPlaces(placesOf(DELIVERY), placesOf(seen)).map(placeName)).toEqual([
    'x GET ^/posts$ (1)',
    'x POST ^/posts$ (2)',
  ]);
});

test('a second fault at a kind of request does not wait for the request that the first one hits', () => {
  const [first] = plansAt(placesOf(lines('POST /posts')));
  const [, repetition] = placesOf(lines('POST /posts', 'POST /posts'));
  expect(plansAt([repetition!], first).map(plan => faultBodies(plan).map(({ after }) => after))).toEqual(
    Array.from({ length: 4 }, () => [0, 0]),
  );
});
