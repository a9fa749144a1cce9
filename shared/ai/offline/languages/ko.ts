import type { LanguageTable } from '../table.ts';

export const ko: LanguageTable = {
  stopwords:
    '이 그 저 것 수 등 및 더 또 또는 그리고 하지만 그러나 그래서 우리 우리의 나 너 저희 여기 거기 매우 아주 정말 새로운 있는 없는 하는 한 된 되는 에서 으로 로 를 을 은 는 가 와 과 의 에 도 만',
  endings: '스타그램 일상 추천 생활 러버 아이디어 모음 꿀팁 이야기 타임 소식 덕후',
  hashtags:
    '일상 소통 추천 영감 동기부여 라이프스타일 트렌드 발견 오늘 공유 아이디어 목표 새소식 배움 성장 행복 순간 꿀팁 기록 응원',
  middles: [
    '{topic}에는 보이는 것보다 더 많은 이야기가 있어요.',
    '작은 디테일이 차이를 만듭니다.',
    '한번 둘러보고 마음에 드는 것을 찾아보세요.',
    '잠시 시간을 내어 볼 만합니다.',
  ],
  tones: {
    casual: {
      openings: ['오늘은 {topic} 이야기예요.', '요즘 궁금했던 {topic}, 같이 볼까요?'],
      closings: ['어떻게 생각하세요?', '댓글로 알려주세요.'],
    },
    professional: {
      openings: ['{topic}: 지금 주목해야 할 핵심.', '{topic}, 자세히 살펴봅니다.'],
      closings: ['여러분의 의견을 기다립니다.', '자세한 내용은 문의해 주세요.'],
    },
    funny: {
      openings: ['{topic}: 인생은 이미 충분히 진지하니까요.', '아무도 안 물어봤지만, {topic}입니다.'],
      closings: ['이게 필요한 친구를 태그하세요.', '웃으면 지는 겁니다.'],
    },
    inspirational: {
      openings: ['모든 큰일은 작은 것에서 시작됩니다: {topic}.', '당신의 다음 걸음, {topic}.'],
      closings: ['오늘 시작하세요.', '당신은 할 수 있어요.'],
    },
    genz: {
      openings: ['{topic}, 이거 완전 갓벽.', '솔직히 {topic} 폼 미쳤다.'],
      closings: ['댓글 달고 가.', '찐친한테 공유 고고.'],
    },
    formal: {
      openings: ['{topic} 소식을 전해 드리게 되어 기쁩니다.', '{topic}에 대해 안내해 드립니다.'],
      closings: ['관심을 가져 주셔서 감사합니다.', '궁금하신 점은 언제든지 문의해 주시기 바랍니다.'],
    },
    friendly: {
      openings: ['안녕하세요, 여러분! 오늘은 {topic} 소식이에요.', '반가운 소식을 가져왔어요: {topic}!'],
      closings: ['여러분의 이야기를 들려주세요!', '곧 또 만나요!'],
    },
    poetic: {
      openings: ['아침 햇살처럼 살며시, {topic}.', '두 번의 심장 박동 사이, {topic}.'],
      closings: ['잠시 머물러 귀 기울여 보세요.', '그리고 하루가 빛나기 시작합니다.'],
    },
  },
};
