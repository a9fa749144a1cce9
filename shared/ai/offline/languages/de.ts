import type { LanguageTable } from '../table.ts';

export const de: LanguageTable = {
  stopwords:
    'aber alle als also am an auch auf aus bei beim bin bis da damit dann das dass dein dem den der des die dies diese dieser dir doch du durch ein eine einem einen einer eines er es etwas euch euer für ganz gegen hat habe haben hier ich ihm ihn ihr ihre im in ist ja jede jeder jetzt kann kein keine können man mehr mein mich mir mit muss nach neu neue neuen neuer neues nicht noch nun nur ob oder ohne schon sehr sein seine sich sie sind so über um und uns unser unsere unter vom von vor war was wenn wer werden wie wieder wir wird wo zu zum zur woher wohin wisst kommt öffnet öffnen eröffnet startet beginnt machen feiern ja nein nachhaltige herzlich willkommen welche welcher welches mag mögt liebsten ganze suchen erste erster erstes besucht besuchen unserem unserer unseren komm',
  endings: 'liebe leben zeit tipps alltag fans ideen momente welt geschichte liebhaber glück',
  hashtags:
    'inspiration motivation lebensstil trend entdecken gemeinschaft kreativ heute teilen ideen ziele neuigkeiten lernen wachstum glück momente tipps alltag deutschland einblicke',
  answers: {
    informal: ['Schreibt es uns in die Kommentare!', 'Wir sind gespannt auf eure Antworten.'],
    formal: ['Wir freuen uns auf Ihre Antworten.', 'Teilen Sie uns gern Ihre Sicht mit.'],
  },
  links: { informal: 'Schaut mal rein:', formal: 'Mehr dazu hier:' },
  tones: {
    casual: {
      lines: [
        'Das wollten wir gern mit euch teilen.',
        'Ein kleiner Gruß von uns an euch.',
        'Nur damit ihr Bescheid wisst.',
      ],
      closings: ['Was meint ihr?', 'Schreibt es uns in die Kommentare.', 'Wie seht ihr das?'],
    },
    professional: {
      lines: [
        'Neues aus unserem Team.',
        'Das möchten wir Ihnen nicht vorenthalten.',
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
        'Auch kleine Schritte führen ans Ziel.',
      ],
      closings: ['Mach heute den Anfang.', 'Du schaffst das.', 'Was nimmst du dir als Nächstes vor?'],
    },
    genz: {
      lines: ['Lassen wir einfach mal so da.', 'Musste kurz in euren Feed.', 'Ihr wisst Bescheid.'],
      closings: ['Meinungen? Ab in die Kommentare.', 'Schickt das euren Besties.', 'Was ist euer Take?'],
    },
    formal: {
      lines: [
        'Wir freuen uns, Sie darüber zu informieren.',
        'Darauf möchten wir Sie aufmerksam machen.',
        'Davon möchten wir Sie in Kenntnis setzen.',
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
        'Das Schöne braucht keine lauten Worte.',
      ],
      closings: [
        'Bleib einen Moment und lausche.',
        'Atme durch und schau noch einmal hin.',
        'Lass es nachklingen.',
      ],
    },
  },
};
