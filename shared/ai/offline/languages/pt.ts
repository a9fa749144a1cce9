import type { LanguageTable } from '../table.ts';

export const pt: LanguageTable = {
  stopwords:
    'a ao aos aqui as até bem cada com como da das de dela dele depois do dos e é ela elas ele eles em entre era essa esse esta está este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na nas não nem no nos nós nossa nosso nova novo num numa o onde os ou para pela pelo por porque quando que quem se sem ser seu seus só sobre são sua suas também te tem tudo tua um uma você vocês sabe vem abre abrem abrimos fecha fechados estaremos começa agende sim neste nesta gosta estamos toda primeiro primeira mil venha venham conhecer conheça visite',
  endings: 'amor vida dicas diário lovers ideias momentos mundo história paixão inspo comunidade',
  hashtags:
    'inspiração motivação estilodevida tendência explorar comunidade criatividade hoje compartilhe descobrir ideias metas novidades aprender crescimento felicidade momentos dicas empreender diário',
  answers: {
    informal: ['Conte nos comentários!', 'Queremos saber a sua resposta.'],
    formal: ['Aguardamos a sua resposta.', 'Compartilhe conosco a sua opinião.'],
  },
  links: { informal: 'Dê uma olhada:', formal: 'Saiba mais aqui:' },
  tones: {
    casual: {
      lines: ['Queríamos dividir isso com você.', 'Um recadinho nosso para você.', 'Passando para contar.'],
      closings: ['O que você acha?', 'Conte para a gente nos comentários.', 'Deixe a sua opinião.'],
    },
    professional: {
      lines: [
        'Novidades da nossa equipe.',
        'É um prazer compartilhar isso com você.',
        'Um breve recado da nossa equipe.',
      ],
      closings: [
        'Queremos saber a sua opinião.',
        'Fale conosco para saber mais.',
        'Escreva para nós se tiver dúvidas.',
      ],
    },
    funny: {
      lines: [
        'Não, não estamos inventando.',
        'Sim, isso merecia um post próprio.',
        'Tentamos guardar segredo. Não deu.',
      ],
      closings: ['Marque quem precisa ver isso.', 'Rir está liberado.', 'Prometemos parar por aqui.'],
    },
    inspirational: {
      lines: [
        'As grandes coisas começam pequenas.',
        'Cada dia é uma chance de começar algo novo.',
        'Pequenos passos levam longe.',
      ],
      closings: ['Comece hoje mesmo.', 'Você consegue.', 'O que vem a seguir para você?'],
    },
    genz: {
      lines: ['Só deixando isso aqui.', 'Tinha que aparecer no seu feed.', 'Quem sabe, sabe.'],
      closings: ['Comenta aí.', 'Manda para a sua bestie.', 'Opiniões?'],
    },
    formal: {
      lines: [
        'É com prazer que compartilhamos esta informação.',
        'Gostaríamos de chamar a sua atenção para este assunto.',
        'Temos a satisfação de compartilhar isto.',
      ],
      closings: [
        'Agradecemos o seu interesse.',
        'Permanecemos à disposição para qualquer dúvida.',
        'Não hesite em entrar em contato conosco.',
      ],
    },
    friendly: {
      lines: ['Queríamos que você ouvisse isso de nós.', 'Isso é para você.', 'Lembramos de você na hora.'],
      closings: ['Vamos adorar saber o que você acha!', 'Até breve!', 'Conte para a gente o que achou!'],
    },
    poetic: {
      lines: ['Há momentos que pedem calma.', 'Suave como a luz da manhã.', 'O belo costuma falar baixinho.'],
      closings: ['Fique um pouco e escute.', 'Respire fundo e olhe de novo.', 'Deixe o instante durar.'],
    },
  },
};
