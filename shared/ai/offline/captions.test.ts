import { describe, expect, test } from '@jest/globals';
import { LANGUAGES, readBrief, TONES, type Language, type Tone } from '../brief.ts';
import { parseOutput } from '../parse-output.ts';
import { keywordsOf } from './keywords.ts';
import { TABLES } from './languages/index.ts';
import { offlineWriter, writeOffline } from './writer.ts';

const PLATFORMS = ['instagram', 'x', 'linkedin', 'bluesky'] as const;

/** A noun, two sentences, a question, a statement with a verb, a name, a number, a link, an emoji, a link in a sentence. */
const TOPICS: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'sourdough bread',
    'We baked all night. See you at eight.',
    'Which bread do you like best?',
    'Our new roastery opens on Saturday',
    'Acme Robotics',
    '10,000 followers',
    'https://example.com/shop?day=sat&x=1',
    '🎉 We are hiring',
    'Book at https://example.com/book?id=7#now today',
  ],
  tr: [
    'ekşi mayalı ekmek',
    'Bütün gece pişirdik. Sekizde görüşürüz.',
    'En çok hangi ekmeği seversiniz?',
    'Yeni kahve dükkanımız cumartesi açılıyor',
    'Acme Robotik',
    '10.000 takipçi',
    'https://ornek.com/dukkan?gun=cmt&x=1',
    '🎉 Ekip arkadaşı arıyoruz',
    'Randevu için https://ornek.com/randevu?id=7#bugun adresi',
  ],
  ar: [
    'خبز العجين المخمر',
    'خبزنا لكم طوال الليل. نلتقي في الثامنة.',
    'أي خبز تفضلون؟',
    'محمصتنا الجديدة تفتح يوم السبت',
    'شركة أكمي للروبوتات',
    '١٠٬٠٠٠ متابع',
    'https://example.com/shop?day=sat&x=1',
    '🎉 نبحث عن زملاء جدد',
    'احجزوا عبر https://example.com/book?id=7#now اليوم',
  ],
  es: [
    'pan de masa madre',
    'Hemos horneado toda la noche. Nos vemos a las ocho.',
    '¿Qué pan te gusta más?',
    'Nuestra nueva tostadora abre el sábado',
    'Acme Robótica',
    '10 000 seguidores',
    'https://ejemplo.es/tienda?dia=sab&x=1',
    '🎉 Buscamos personal',
    'Reserva en https://ejemplo.es/cita?id=7#hoy hoy',
  ],
  fr: [
    'le pain au levain',
    'Nous avons pétri toute la nuit. À huit heures.',
    'Quel pain préférez-vous ?',
    'Notre nouvelle torréfaction ouvre samedi',
    'Acme Robotique',
    '10 000 abonnés',
    'https://exemple.fr/boutique?jour=sam&x=1',
    '🎉 Nous recrutons',
    'Réservez sur https://exemple.fr/rdv?id=7#ici dès maintenant',
  ],
  de: [
    'Sauerteigbrot',
    'Wir haben die ganze Nacht gebacken. Bis um acht.',
    'Welches Brot mögt ihr am liebsten?',
    'Unsere neue Rösterei öffnet am Samstag',
    'Acme Robotik',
    '10.000 Follower',
    'https://beispiel.de/laden?tag=sa&x=1',
    '🎉 Wir suchen Verstärkung',
    'Termine gibt es unter https://beispiel.de/termin?id=7#jetzt ab heute',
  ],
  pt: [
    'pão de fermentação natural',
    'Assamos a noite toda. Até as oito.',
    'De que pão você mais gosta?',
    'Nossa nova torrefação abre no sábado',
    'Acme Robótica',
    '10 mil seguidores',
    'https://exemplo.com.br/loja?dia=sab&x=1',
    '🎉 Estamos contratando',
    'Agende em https://exemplo.com.br/agenda?id=7#ja hoje',
  ],
  ja: [
    'サワードウのパン',
    '夜通し焼きました。八時にお会いしましょう。',
    'どのパンがいちばん好きですか？',
    '新しい焙煎所が土曜日にオープンします',
    'アクメ・ロボティクス',
    'フォロワー1万人',
    'https://example.jp/mise?hi=do&x=1',
    '🎉 スタッフ募集中',
    'ご予約は https://example.jp/yoyaku?id=7#ima から',
  ],
  ko: [
    '사워도우 빵',
    '밤새 구웠습니다. 여덟 시에 만나요.',
    '어떤 빵을 가장 좋아하세요?',
    '새 로스터리가 토요일에 문을 엽니다',
    '아크메 로보틱스',
    '팔로워 1만 명',
    'https://example.kr/shop?day=sat&x=1',
    '🎉 함께할 동료를 찾습니다',
    '예약은 https://example.kr/reserve?id=7#now 에서',
  ],
  zh: [
    '天然酵母面包',
    '我们烤了一整夜。八点见。',
    '你最喜欢哪种面包？',
    '我们的新烘焙坊周六开业',
    '阿克米机器人',
    '一万名粉丝',
    'https://example.cn/shop?day=sat&x=1',
    '🎉 我们正在招人',
    '预约请访问 https://example.cn/yuyue?id=7#now 即可',
  ],
};

function write(topic: string, language: Language, tone: Tone) {
  const brief = readBrief({ type: 'caption', topic, language, tone, platforms: [...PLATFORMS] });
  const result = parseOutput(brief, writeOffline(brief), new Set(), offlineWriter);
  return PLATFORMS.map(platform => result[platform]!);
}

/** Every sentence that the writer adds: each is whole, and none has a place for the topic. */
function ownSentences(language: Language, tone: Tone): readonly string[] {
  const { tones, answers, links } = TABLES[language];
  const { lines, closings } = tones[tone];
  return [answers, links].flatMap(each => [each.formal, each.informal].flat()).concat(lines, closings);
}

const all = (language: Language) =>
  TOPICS[language].flatMap(topic =>
    TONES.flatMap(tone => write(topic, language, tone).map(post => ({ topic, tone, ...post }))),
  );

const MARKS = /[?？؟]/u;

describe.each(LANGUAGES)('a caption in %s', language => {
  const captions = all(language);

  test('is the topic as it was given, with whole sentences of the tone', () => {
    for (const { topic, tone, caption } of captions) {
      const plain = caption.replace(/\u00a0/gu, ' ').toLocaleLowerCase(language);
      const said = topic.toLocaleLowerCase(language);
      expect(plain).toContain(said);
      const added = ownSentences(language, tone)
        .map(sentence => sentence.replace(/\u00a0/gu, ' ').toLocaleLowerCase(language))
        .reduce((left, sentence) => left.replace(sentence, ''), plain.replace(said, ''));
      expect({ caption, added: added.replace(/[✨😄🌟🔥😊🌿\s]/gu, '') }).toEqual({ caption, added: '' });
    }
  });

  test('begins with the topic, or with an introduction where the topic is a link', () => {
    for (const { topic, caption } of captions) {
      const [first = ''] = caption.split('\n');
      if (topic.startsWith('http')) expect(Object.values(TABLES[language].links)).toContain(first);
      else expect(first.slice(0, 4).toLocaleLowerCase()).toBe(topic.slice(0, 4).toLocaleLowerCase());
    }
  });

  test('has no doubled punctuation, and no space before a full stop or comma', () => {
    for (const { caption } of captions) {
      const plain = caption.replace(/https?:\/\/\S+/gu, 'link');
      expect(plain).not.toMatch(/[.,;:!?。！？؟،][.,;:!?。！？؟،]| [.,。！？؟،]| {2}/u);
    }
  });

  test('asks for answers where the topic is a question, and repeats no call where it is one', () => {
    const [, , question = ''] = TOPICS[language];
    for (const tone of TONES) {
      for (const { caption } of write(question.replace(MARKS, ''), language, tone).concat(
        write(question, language, tone),
      )) {
        const own = ownSentences(language, tone).filter(sentence => caption.includes(sentence));
        expect(own.length).toBeGreaterThan(0);
      }
      for (const { caption } of write(`${question.replace(/[¿?？؟]/gu, '').trim()}!`, language, tone))
        expect(TABLES[language].tones[tone].closings.some(each => caption.includes(each))).toBe(false);
    }
  });

  test('keeps the capitals of names', () => {
    for (const { caption } of write('iPhone 17 by ADIDAS and NVIDIA', language, 'casual'))
      expect(caption).toMatch(/^iPhone 17 by ADIDAS and NVIDIA/u);
  });

  test('keeps each link of the topic as it was given, and adds none', () => {
    const links = (text: string) => text.match(/https?:\/\/[^\s。]+/gu) ?? [];
    for (const { topic, caption } of captions) expect(links(caption)).toEqual(links(topic));
  });

  test('has hashtags of its subject only', () => {
    for (const { topic, hashtags } of captions) {
      const known = new Set(keywordsOf(topic, language).map(word => `#${word}`));
      const whole = topic.toLocaleLowerCase(language).replace(/[\s-]+/gu, language === 'ar' ? '_' : '');
      const unknown = hashtags.split(' ').filter(tag => tag !== '' && !known.has(tag));
      expect(['', `#${whole}`, `#${whole.replace(/^le/u, '')}`]).toContain(unknown.join(' '));
    }
  });
});

describe('keywords', () => {
  test.each<[Language, string, string[]]>([
    ['en', 'A single-origin coffee opens our women’s day', ['singleorigin', 'coffee', 'women', 'day']],
    ['fr', 'Savez-vous tout ? Le week-end du café', ['weekend', 'café']],
    ['ko', '새 빵을 구웠습니다', []],
    ['ja', '遊びに来てください', ['遊び']],
    ['tr', 'Etiyopya’dan yeni bir kahve', ['etiyopya', 'kahve']],
  ])('in %s of %s are %j', (language, text, keywords) => {
    expect(keywordsOf(text, language)).toEqual(keywords);
  });
});

test.each<[Language, string, string]>([
  ['es', 'pan de masa madre', '#pandemasamadre #pan'],
  ['fr', 'le pain au levain', '#painaulevain #pain'],
  ['en', 'A cup of coffee', '#cupofcoffee #cup'],
  ['en', 'sourdough bread', '#sourdoughbread #sourdough #bread'],
])('a phrase in %s is one hashtag: %s', (language, topic, hashtags) => {
  const [instagram] = write(topic, language, 'casual');
  expect(instagram!.hashtags).toBe(hashtags);
});
