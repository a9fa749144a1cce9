import type { LanguageTable } from '../table.ts';

export const en: LanguageTable = {
  stopwords:
    'a about after all also an and any are as at be been before but by can could did do does for from get had has have he her here his how i if in into is it its just like made make me more most my new no not now of on once one only or our out over she should so some such than that the their them then there these they this to too up us very was we were what when where which while who why will with would you your know come comes see today open opens opened opening start starts begin begins meet join visit closed close wait welcome every everybody yes free best like first drop stop',
  endings: 'love life time tips daily lovers ideas community inspo moments story world',
  hashtags:
    'inspiration motivation lifestyle trending explore community creative instagood today share discover smallbusiness goals mindset behindthescenes newpost daily learn growth ideas',
  answers: {
    informal: ['Tell us in the comments!', 'We would love to hear your answer.'],
    formal: ['We look forward to your answers.', 'Please share your view with us.'],
  },
  links: { informal: 'Take a look:', formal: 'Find out more here:' },
  tones: {
    casual: {
      lines: [
        'Just wanted to share this with you.',
        'Thought you might like to know.',
        'You heard it here first.',
      ],
      closings: ['What do you think?', 'Tell us in the comments.', 'Let us know what you think.'],
    },
    professional: {
      lines: [
        'Here is the latest from our team.',
        'We are glad to share this with you.',
        'A short update from our team.',
      ],
      closings: [
        'Get in touch to learn more.',
        'We look forward to hearing from you.',
        'Feel free to contact us with any questions.',
      ],
    },
    funny: {
      lines: [
        'No, we’re not making this up.',
        'Yes, this really deserved a post of its own.',
        'We tried to keep it to ourselves. It didn’t work.',
      ],
      closings: ['Tag somebody who needs to see this.', 'Laughing is allowed.', 'We’ll see ourselves out.'],
    },
    inspirational: {
      lines: [
        'Good things start small.',
        'Every day is a chance to begin something new.',
        'Small steps go a long way.',
      ],
      closings: ['Take the first step today.', 'You’ve got this.', 'What is your next step?'],
    },
    genz: {
      lines: ['Just leaving this here.', 'Had to put this on your feed.', 'If you know, you know.'],
      closings: ['Drop your take below.', 'Send this to your bestie.', 'Thoughts?'],
    },
    formal: {
      lines: [
        'We are pleased to share this with you.',
        'We would like to bring this to your attention.',
        'It is our pleasure to keep you informed.',
      ],
      closings: [
        'We thank you for your interest.',
        'We remain at your disposal for any questions.',
        'Please do not hesitate to contact us.',
      ],
    },
    friendly: {
      lines: ['We wanted you to hear it from us.', 'This one is for you.', 'We thought of you right away.'],
      closings: ['We would love to hear from you!', 'See you soon!', 'Tell us what you think!'],
    },
    poetic: {
      lines: [
        'Some moments ask us to slow down.',
        'Softly, like morning light.',
        'Beautiful things rarely raise their voice.',
      ],
      closings: ['Stay a while, and listen.', 'Take a breath, and look again.', 'Let it linger.'],
    },
  },
};
