import type { LanguageTable } from '../table.ts';

export const tr: LanguageTable = {
  stopwords:
    'acaba ama ancak artık asla az bana bazı belki ben beni benim bile bir biraz biri birkaç biz bize bizim bu buna bunu burada çok çünkü da daha de defa değil diye en fakat gibi göre hatta hem hep her hiç için ile ise kadar kez ki kim mı mi mu mü nasıl ne neden nerede o olan olarak oldu olur on ona onu onun orada oysa pek sanki sen seni siz şey şu tüm var ve veya ya yani yeni yok zaten',
  endings: 'aşkı keyfi zamanı günlüğü severler fikirleri tutkusu dünyası hikayesi önerileri anları hayatı',
  hashtags:
    'keşfet ilham motivasyon yaşam günlük öneri türkiye gündem yeni fikir paylaş mutluluk bugün topluluk tavsiye hedef keyif yaratıcı girişim anlar',
  middles: [
    '{topic} hakkında konuşacak çok şey var.',
    'Farkı yaratan küçük ayrıntılardır.',
    'Bir göz atın, size en uygun olanı bulun.',
    'Buna bir dakika ayırmaya değer.',
  ],
  tones: {
    casual: {
      openings: ['Gelin biraz konuşalım: {topic}.', 'Bugünkü konumuz {topic}.'],
      closings: ['Siz ne düşünüyorsunuz?', 'Yorumlarda buluşalım.'],
    },
    professional: {
      openings: ['{topic}: bugün önemli olan ne?', 'Yakından bakıyoruz: {topic}.'],
      closings: ['Görüşlerinizi bekliyoruz.', 'Daha fazla bilgi için bize ulaşın.'],
    },
    funny: {
      openings: ['{topic}: çünkü hayat zaten yeterince ciddi.', 'Kimse sormadı ama işte: {topic}.'],
      closings: ['Buna ihtiyacı olan birini etiketle.', 'Gülmek serbest.'],
    },
    inspirational: {
      openings: ['Her büyük şey küçük bir adımla başlar: {topic}.', 'Bir sonraki adımın bu olsun: {topic}.'],
      closings: ['Bugün başla.', 'Sen yaparsın.'],
    },
    genz: {
      openings: ['Şu an tek mood: {topic}.', 'Abartmıyorum, {topic} efsane.'],
      closings: ['Yorumlara bırak.', 'Bunu kankana gönder.'],
    },
    formal: {
      openings: ['Sizlere sunmaktan memnuniyet duyarız: {topic}.', 'Dikkatinize sunarız: {topic}.'],
      closings: ['İlginiz için teşekkür ederiz.', 'Sorularınız için her zaman hizmetinizdeyiz.'],
    },
    friendly: {
      openings: ['Merhaba dostlar, bugün konumuz {topic}!', 'Size güzel bir haberimiz var: {topic}.'],
      closings: ['Sizden haber almak isteriz!', 'Görüşmek üzere!'],
    },
    poetic: {
      openings: ['Sabah ışığı gibi usulca: {topic}.', 'İki kalp atışı arasında {topic}.'],
      closings: ['Biraz dur ve dinle.', 'Ve gün ışımaya başlar.'],
    },
  },
};
