import type { LanguageTable } from '../table.ts';

export const de: LanguageTable = {
  stopwords:
    'aber alle als also am an auch auf aus bei beim bin bis da damit dann das dass dein dem den der des die dies diese dieser dir doch du durch ein eine einem einen einer eines er es etwas euch euer für ganz gegen hat habe haben hier ich ihm ihn ihr ihre im in ist ja jede jeder jetzt kann kein keine können man mehr mein mich mir mit muss nach neu neue neuen neuer neues nicht noch nun nur ob oder ohne schon sehr sein seine sich sie sind so über um und uns unser unsere unter vom von vor war was wenn wer werden wie wieder wir wird wo zu zum zur',
  endings: 'liebe leben zeit tipps alltag fans ideen momente welt geschichte liebhaber glück',
  hashtags:
    'inspiration motivation lebensstil trend entdecken gemeinschaft kreativ heute teilen ideen ziele neuigkeiten lernen wachstum glück momente tipps alltag deutschland einblicke',
  middles: [
    'Hinter {topic} steckt mehr, als man denkt.',
    'Es sind die kleinen Dinge, die den Unterschied machen.',
    'Schau vorbei und finde, was zu dir passt.',
    'Dafür lohnt sich ein Moment Zeit.',
  ],
  tones: {
    casual: {
      openings: ['Reden wir mal über {topic}.', 'Heute auf dem Plan: {topic}.'],
      closings: ['Was meinst du?', 'Schreib es in die Kommentare.'],
    },
    professional: {
      openings: ['{topic}: Worauf es jetzt ankommt.', 'Ein genauer Blick auf {topic}.'],
      closings: ['Ihre Meinung interessiert uns.', 'Mehr erfahren Sie auf Anfrage.'],
    },
    funny: {
      openings: [
        '{topic}: weil das Leben ernst genug ist.',
        'Keiner hat gefragt, hier ist es trotzdem: {topic}.',
      ],
      closings: ['Markiere jemanden, der das braucht.', 'Lachen ist erlaubt.'],
    },
    inspirational: {
      openings: ['Alles Große fängt klein an: {topic}.', 'Dein nächster Schritt: {topic}.'],
      closings: ['Fang heute an.', 'Du schaffst das.'],
    },
    genz: {
      openings: ['POV: {topic} und es ist ein Vibe.', 'Ohne Witz, {topic} ist next level.'],
      closings: ['Ab damit in die Kommentare.', 'Schick das deinem Bestie.'],
    },
    formal: {
      openings: [
        'Wir freuen uns, Ihnen Folgendes vorzustellen: {topic}.',
        'Wir möchten Sie aufmerksam machen: {topic}.',
      ],
      closings: ['Wir danken Ihnen für Ihr Interesse.', 'Für Fragen stehen wir Ihnen gern zur Verfügung.'],
    },
    friendly: {
      openings: ['Hallo ihr Lieben, heute geht es um {topic}!', 'Wir haben etwas Schönes für euch: {topic}.'],
      closings: ['Wir freuen uns auf eure Nachrichten!', 'Bis bald!'],
    },
    poetic: {
      openings: ['Leise wie das Morgenlicht: {topic}.', 'Zwischen zwei Herzschlägen: {topic}.'],
      closings: ['Bleib einen Augenblick und lausche.', 'Und der Tag beginnt zu leuchten.'],
    },
  },
};
