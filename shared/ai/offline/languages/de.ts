import type { LanguageTable } from '../table.ts';

export const de: LanguageTable = {
  stopwords:
    'aber alle als also am an auch auf aus bei beim bin bis da damit dann das dass dein dem den der des die dies diese dieser dir doch du durch ein eine einem einen einer eines er es etwas euch euer für ganz gegen hat habe haben hier ich ihm ihn ihr ihre im in ist ja jede jeder jetzt kann kein keine können man mehr mein mich mir mit muss nach neu neue neuen neuer neues nicht noch nun nur ob oder ohne schon sehr sein seine sich sie sind so über um und uns unser unsere unter vom von vor war was wenn wer werden wie wieder wir wird wo zu zum zur woher wohin wisst kommt öffnet öffnen eröffnet startet beginnt machen feiern ja nein nachhaltige herzlich willkommen welche welcher welches mag mögt liebsten ganze suchen erste erster erstes',
  endings: 'liebe leben zeit tipps alltag fans ideen momente welt geschichte liebhaber glück',
  hashtags:
    'inspiration motivation lebensstil trend entdecken gemeinschaft kreativ heute teilen ideen ziele neuigkeiten lernen wachstum glück momente tipps alltag deutschland einblicke',
  answers: {
    informal: ['Schreibt es uns in die Kommentare!', 'Wir sind gespannt auf eure Antworten.'],
    formal: ['Wir freuen uns auf Ihre Antworten.', 'Teilen Sie uns gern Ihre Sicht mit.'],
  },
  tones: {
    casual: {
      lines: [
        'Das wollten wir gern mit euch teilen.',
        'Eine Kleinigkeit von uns für euch.',
        'Das beschäftigt uns gerade.',
      ],
      closings: ['Was meint ihr?', 'Schreibt uns eure Meinung in die Kommentare.', 'Wie seht ihr das?'],
    },
    professional: {
      lines: [
        'Ein genauer Blick lohnt sich.',
        'Ein Thema, das uns und unsere Kundschaft bewegt.',
        'Ein kurzes Update aus unserem Team.',
      ],
      closings: [
        'Ihre Meinung interessiert uns.',
        'Gern erzählen wir Ihnen mehr.',
        'Sprechen Sie uns gern an.',
      ],
    },
    funny: {
      lines: [
        'Nein, das haben wir uns nicht ausgedacht.',
        'Ja, das war uns einen eigenen Beitrag wert.',
        'Wir wollten es für uns behalten. Hat nicht geklappt.',
      ],
      closings: ['Markiert jemanden, der das sehen muss.', 'Lachen ist erlaubt.', 'Wir gehen dann mal.'],
    },
    inspirational: {
      lines: [
        'Alles Große fängt klein an.',
        'Jeder Tag ist eine Chance, neu anzufangen.',
        'Kleine Schritte führen weit.',
      ],
      closings: ['Mach heute den ersten Schritt.', 'Du schaffst das.', 'Was ist dein nächster Schritt?'],
    },
    genz: {
      lines: ['Lassen wir einfach mal so da.', 'Musste kurz in euren Feed.', 'Ihr wisst Bescheid.'],
      closings: ['Ab damit in die Kommentare.', 'Schick das deinen Besties.', 'Was ist euer Take?'],
    },
    formal: {
      lines: [
        'Wir freuen uns, Sie darüber zu informieren.',
        'Darauf möchten wir Sie gern aufmerksam machen.',
        'Gern setzen wir Sie davon in Kenntnis.',
      ],
      closings: [
        'Wir danken Ihnen für Ihr Interesse.',
        'Für Fragen stehen wir Ihnen gern zur Verfügung.',
        'Bitte wenden Sie sich jederzeit an uns.',
      ],
    },
    friendly: {
      lines: [
        'Das solltet ihr von uns hören.',
        'Das hier ist für euch.',
        'Da haben wir gleich an euch gedacht.',
      ],
      closings: ['Wir freuen uns auf eure Nachrichten!', 'Bis bald!', 'Erzählt uns, was ihr davon haltet!'],
    },
    poetic: {
      lines: [
        'Manche Augenblicke laden zum Innehalten ein.',
        'Leise wie das Morgenlicht.',
        'Das Schöne spricht oft leise.',
      ],
      closings: [
        'Bleib einen Augenblick und lausche.',
        'Und der Tag beginnt zu leuchten.',
        'Lass es nachklingen.',
      ],
    },
  },
};
