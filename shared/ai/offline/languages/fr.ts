import type { LanguageTable } from '../table.ts';

export const fr: LanguageTable = {
  stopwords:
    'à ai ainsi alors après au aussi autre aux avant avec avoir bien c ce cela ces cette chaque comme d dans de des deux donc du elle elles en encore entre est et été être fait il ils j je l la le les leur leurs lui m ma mais me même mes moins mon n ne nos notre nouveau nouvelle nous on ou où par pas peu plus pour pourquoi qu quand que qui s sa sans se ses si son sont sous sur ta te tes ton tous tout toute très tu un une vos votre vous y savez vient voici ouvre ouvrent ouvrons ferme fermés commence sommes êtes avons avez ont oui non contre quel quelle quels rendez préférez recrutons premier première venez découvrez découvrir visitez',
  endings: 'amour vie astuces quotidien addict idées moments monde histoire passion inspo team',
  hashtags:
    'inspiration motivation artdevivre tendance découverte communauté créativité aujourdhui partage idées objectifs nouveauté apprendre bonheur moments conseils quotidien envie france coulisses',
  answers: {
    informal: ['Dites-nous tout en commentaire\u00a0!', 'On a hâte de lire vos réponses.'],
    formal: ['Nous lirons vos réponses avec plaisir.', 'Votre avis nous intéresse.'],
  },
  links: { informal: 'Jetez un œil par ici\u00a0:', formal: 'Pour en savoir plus\u00a0:' },
  tones: {
    casual: {
      lines: [
        'On avait envie de partager ça avec vous.',
        'Un petit mot de notre part.',
        'On voulait que vous le sachiez.',
      ],
      closings: [
        'Vous en pensez quoi\u00a0?',
        'Dites-nous tout en commentaire.',
        'Et vous, qu’en dites-vous\u00a0?',
      ],
    },
    professional: {
      lines: [
        'L’actualité de notre équipe, en bref.',
        'Nous sommes heureux de partager cela avec vous.',
        'Quelques nouvelles de notre équipe.',
      ],
      closings: [
        'Votre avis nous intéresse.',
        'Contactez-nous pour en savoir plus.',
        'N’hésitez pas à nous écrire.',
      ],
    },
    funny: {
      lines: [
        'Non, on n’a rien inventé.',
        'Oui, ça méritait bien une publication.',
        'On voulait garder ça pour nous. Raté.',
      ],
      closings: ['Identifiez quelqu’un qui doit voir ça.', 'Rire est autorisé.', 'Promis, on s’arrête là.'],
    },
    inspirational: {
      lines: [
        'Les grandes choses commencent par un petit pas.',
        'Chaque jour est une nouvelle chance.',
        'De petits efforts mènent loin.',
      ],
      closings: [
        'Lancez-vous dès aujourd’hui.',
        'Vous en êtes capables.',
        'Quelle sera votre prochaine étape\u00a0?',
      ],
    },
    genz: {
      lines: ['On pose ça là.', 'Il fallait que ça passe sur ton feed.', 'Si tu sais, tu sais.'],
      closings: ['Balance ton avis en commentaire.', 'Envoie ça à ton bestie.', 'T’en penses quoi\u00a0?'],
    },
    formal: {
      lines: [
        'Nous avons le plaisir de vous en faire part.',
        'Nous souhaitons attirer votre attention sur ce point.',
        'Nous tenions à vous en informer.',
      ],
      closings: [
        'Nous vous remercions de votre intérêt.',
        'Nous restons à votre disposition pour toute question.',
        'N’hésitez pas à nous contacter.',
      ],
    },
    friendly: {
      lines: ['On voulait vous le dire nous-mêmes.', 'C’est pour vous.', 'On a tout de suite pensé à vous.'],
      closings: [
        'On a hâte de vous lire\u00a0!',
        'À très bientôt\u00a0!',
        'Dites-nous ce que vous en pensez\u00a0!',
      ],
    },
    poetic: {
      lines: [
        'Certains instants invitent à ralentir.',
        'Tout en douceur, comme la lumière du matin.',
        'Les belles choses parlent à voix basse.',
      ],
      closings: [
        'Restez un instant, écoutez.',
        'Respirez, puis regardez encore.',
        'Laissez l’instant durer.',
      ],
    },
  },
};
