import { id, says, time, url, type Vocabulary } from './entry.ts';

export const BROADCASTS: Vocabulary = {
  account_id: id('Id of the connected account', 6),
  session_id: id('Id of the session', 14),
  broadcasts: says('The sessions, newest first'),
  broadcast_id: says('Id of the broadcast at YouTube', 'dQw4w9WgXcQ'),
  youtube_broadcast_id: says('Id of the broadcast at YouTube; null until it exists', 'dQw4w9WgXcQ'),
  broadcast_url: url('Where the broadcast is watched', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'),
  rtmp_url: url('Where the stream is sent; null until it is known', 'rtmp://a.rtmp.youtube.com/live2'),
  stream_key: says(
    'Secret. Encoders send to `rtmp_url` with this key; null once the broadcast is over',
    'abcd-efgh-ijkl-mnop-qrst',
  ),
  start_time: time('When it starts'),
  started_at: time('When it went live; null before'),
  ended_at: time('When it ended; null before', '2026-12-01T12:00:00.000Z'),
  is_loop: says('Whether the playlist starts again at its end', true),
  privacyStatus: says('Who can watch', 'public'),
  delete_broadcast: says('Whether the broadcast, its recording and the session are deleted', false),
  'LiveBroadcastSession.id': id('Id of the session', 14),
  'LiveBroadcastSession.title': says('Title', 'Coffee around the clock'),
  'LiveBroadcastSession.description': says('Description', 'Our roastery, live'),
  'LiveBroadcastSession.status': says('State of the broadcast', 'live'),
  'LiveBroadcastSession.playlist_id': id(
    'The playlist that is streamed; null with an encoder of your own',
    15,
  ),
  'LiveBroadcastSession.error': says('Why it failed, or ended without a request; null otherwise', null),
  'CreateBroadcastRequest.title': says('Title', 'Coffee around the clock'),
  'CreateBroadcastRequest.description': says('Description', 'Our roastery, live'),
  'CreateBroadcastRequest.playlist_id': id(
    'The playlist to stream; without one, your own encoder streams to the answered address',
    15,
  ),
  'CreatedBroadcast.status': says('State of the broadcast', 'pending'),
  'StoppedBroadcast.status': says('State of the broadcast', 'completed'),
};
