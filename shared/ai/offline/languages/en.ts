import type { LanguageTable } from '../table.ts';

export const en: LanguageTable = {
  stopwords:
    'a about after all also an and any are as at be been before but by can could did do does for from get had has have he her here his how i if in into is it its just like made make me more most my new no not now of on once one only or our out over she should so some such than that the their them then there these they this to too up us very was we were what when where which while who why will with would you your',
  endings: 'love life time tips daily lovers ideas community inspo moments story world',
  hashtags:
    'inspiration motivation lifestyle trending explore community creative instagood today share discover smallbusiness goals mindset behindthescenes newpost daily learn growth ideas',
  middles: [
    'There is more behind {topic} than meets the eye.',
    'Small details make the difference here.',
    'Have a look and see what suits you best.',
    'It is worth taking a moment for this.',
  ],
  tones: {
    casual: {
      openings: ["Let's talk about {topic}.", 'So, {topic}. Yes, we went there.'],
      closings: ['What do you think?', 'Tell us in the comments.'],
    },
    professional: {
      openings: ['{topic}: what matters now.', 'A closer look at {topic}.'],
      closings: ['We look forward to your view.', 'Get in touch to learn more.'],
    },
    funny: {
      openings: ['{topic}: because adulting is hard enough.', 'Nobody asked for {topic}. You are welcome.'],
      closings: ['Tag somebody who needs this.', 'We will see ourselves out.'],
    },
    inspirational: {
      openings: ['Every great thing starts small: {topic}.', 'Let {topic} be your next step.'],
      closings: ['Start today.', 'You have got this.'],
    },
    genz: {
      openings: ['POV: {topic}, and it is a whole vibe.', 'No cap, {topic} just hits different.'],
      closings: ['Drop your take below.', 'Send this to your bestie.'],
    },
    formal: {
      openings: ['We are pleased to present {topic}.', 'Allow us to introduce {topic}.'],
      closings: ['We thank you for your interest.', 'We remain at your disposal for any questions.'],
    },
    friendly: {
      openings: ['Hey friends, today is all about {topic}!', 'We have something lovely for you: {topic}.'],
      closings: ['We would love to hear from you!', 'See you soon!'],
    },
    poetic: {
      openings: ['Softly, like morning light: {topic}.', 'Between two heartbeats, {topic}.'],
      closings: ['Stay a while, and listen.', 'And the day begins to glow.'],
    },
  },
};
