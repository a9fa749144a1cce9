import type { LanguageTable } from '../table.ts';

export const pt: LanguageTable = {
  stopwords:
    'a ao aos aqui as até bem cada com como da das de dela dele depois do dos e é ela elas ele eles em entre era essa esse esta está este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na nas não nem no nos nós nossa nosso nova novo num numa o onde os ou para pela pelo por porque quando que quem se sem ser seu seus só sobre são sua suas também te tem tudo tua um uma você vocês',
  endings: 'amor vida dicas diário lovers ideias momentos mundo história paixão inspo comunidade',
  hashtags:
    'inspiração motivação estilodevida tendência explorar comunidade criatividade hoje compartilhe descobrir ideias metas novidades aprender crescimento felicidade momentos dicas empreender diário',
  middles: [
    'Há mais por trás de {topic} do que parece.',
    'São os pequenos detalhes que fazem a diferença.',
    'Dê uma olhada e escolha o que combina com você.',
    'Vale a pena parar um momento para isto.',
  ],
  tones: {
    casual: {
      openings: ['Vamos falar de {topic}.', 'O assunto de hoje: {topic}.'],
      closings: ['O que você acha?', 'Conte nos comentários.'],
    },
    professional: {
      openings: ['{topic}: o que importa agora.', 'Um olhar mais atento sobre {topic}.'],
      closings: ['Queremos saber a sua opinião.', 'Fale conosco para saber mais.'],
    },
    funny: {
      openings: ['{topic}: porque a vida já é séria demais.', 'Ninguém pediu, mas aqui está: {topic}.'],
      closings: ['Marque quem precisa disto.', 'Rir está liberado.'],
    },
    inspirational: {
      openings: ['Tudo o que é grande começa pequeno: {topic}.', 'Que o seu próximo passo seja {topic}.'],
      closings: ['Comece hoje.', 'Você consegue.'],
    },
    genz: {
      openings: ['POV: {topic}, e é uma vibe.', 'Sem exagero, {topic} é outro nível.'],
      closings: ['Comenta aí.', 'Manda para a sua bestie.'],
    },
    formal: {
      openings: ['Temos o prazer de apresentar {topic}.', 'Permita-nos apresentar {topic}.'],
      closings: ['Agradecemos o seu interesse.', 'Permanecemos à disposição para qualquer dúvida.'],
    },
    friendly: {
      openings: ['Oi, pessoal! Hoje é dia de {topic}.', 'Temos algo especial para você: {topic}.'],
      closings: ['Adoraríamos ouvir você!', 'Até breve!'],
    },
    poetic: {
      openings: ['Suave como a luz da manhã: {topic}.', 'Entre duas batidas do coração, {topic}.'],
      closings: ['Fique um pouco e escute.', 'E o dia começa a brilhar.'],
    },
  },
};
