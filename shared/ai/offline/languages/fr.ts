import type { LanguageTable } from '../table.ts';

export const fr: LanguageTable = {
  stopwords:
    'à ai ainsi alors après au aussi autre aux avant avec avoir bien c ce cela ces cette chaque comme d dans de des deux donc du elle elles en encore entre est et été être fait il ils j je l la le les leur leurs lui m ma mais me même mes moins mon n ne nos notre nouveau nouvelle nous on ou où par pas peu plus pour pourquoi qu quand que qui s sa sans se ses si son sont sous sur ta te tes ton tous tout toute très tu un une vos votre vous y',
  endings: 'amour vie astuces quotidien addict idées moments monde histoire passion inspo team',
  hashtags:
    'inspiration motivation artdevivre tendance découverte communauté créativité aujourdhui partage idées objectifs nouveauté apprendre bonheur moments conseils quotidien envie france coulisses',
  middles: [
    'Derrière {topic}, il y a bien plus qu’on ne croit.',
    'Ce sont les petits détails qui font la différence.',
    'Jetez un œil et trouvez ce qui vous convient.',
    'Cela vaut la peine de s’y arrêter un instant.',
  ],
  tones: {
    casual: {
      openings: ['Parlons un peu de ceci : {topic}.', 'Au programme aujourd’hui : {topic}.'],
      closings: ['Vous en pensez quoi ?', 'Dites-nous tout en commentaire.'],
    },
    professional: {
      openings: ['{topic} : ce qui compte aujourd’hui.', 'Regard de plus près : {topic}.'],
      closings: ['Votre avis nous intéresse.', 'Contactez-nous pour en savoir plus.'],
    },
    funny: {
      openings: [
        '{topic} : parce que la vie est déjà assez sérieuse.',
        'Personne n’a rien demandé, mais voici {topic}.',
      ],
      closings: ['Identifiez quelqu’un qui en a besoin.', 'Rire est autorisé.'],
    },
    inspirational: {
      openings: [
        'Tout ce qui est grand commence petit : {topic}.',
        'Et si la prochaine étape était {topic} ?',
      ],
      closings: ['Commencez aujourd’hui.', 'Vous en êtes capable.'],
    },
    genz: {
      openings: ['POV : {topic}, et c’est toute une vibe.', 'Sans mentir, {topic}, c’est incroyable.'],
      closings: ['Balance ton avis en commentaire.', 'Envoie ça à ton bestie.'],
    },
    formal: {
      openings: [
        'Nous avons le plaisir de vous présenter {topic}.',
        'Permettez-nous de vous présenter {topic}.',
      ],
      closings: [
        'Nous vous remercions de votre intérêt.',
        'Nous restons à votre disposition pour toute question.',
      ],
    },
    friendly: {
      openings: ['Coucou les amis, aujourd’hui : {topic} !', 'Une belle surprise pour vous : {topic}.'],
      closings: ['On a hâte de vous lire !', 'À très bientôt !'],
    },
    poetic: {
      openings: ['Doux comme la lumière du matin : {topic}.', 'Entre deux battements de cœur, {topic}.'],
      closings: ['Restez un instant, écoutez.', 'Et le jour commence à briller.'],
    },
  },
};
