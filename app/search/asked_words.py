"""Words with which questions in other languages than German and English ask for a kind of answer
(:mod:`app.search.answer_kinds`): in French, Italian, Spanish, Romanian, Polish, Turkish, Ukrainian, Russian,
Arabic and Greek."""

from typing import Final

HOURS: Final = (
    r"\bouvert|\bhoraires?\b|\bferm[ée]|\bapert[oaie]\b|\borari[oa]?\b|\bchius[oaie]\b|\babiert[oa]s?\b"
    r"|\bhorarios?\b|\babren?\b|\bcerrad[oa]|\bdeschis|\bînchis|\botwart|\bczynn[aey]\b|\bgodzin|\baçık\b"
    r"|\bkaçta\b|\bsaatleri\b|\bкогда откры|\bколи відкри|\bвідчинен|\bпрацює|\bработает|\bоткрыт"
    r"|مفتوح|الدوام|تفتح|يفتح|ανοιχτ|ωράριο"
)
PRICE: Final = (
    r"\bco[uû]te|\bprix d|\bfrais d|\btarifs?\b|\bcombien (?:dois|doit|faut|paie)|\bgratuit|\bpayer\b"
    r"|\bquanto costa|\bprezz[oi]\b|\btariff|\bpagare\b|\bcuest|\bprecios?\b|\btasas? d|\bpagar\b"
    r"|\bcost[aă]\b|\bpreț|\bplăti|\btaxa\b|\bkosztuj|\bopłat|\bzapłac|\bcena\b|\bbezpłatn|\bne kadar tut"
    r"|\bkaç (?:euro|avro|para|lira)|\bücret|\bfiyat|\böde(?:r|n|m)|\bne kadar\?|\bkadar vergi"
    r"|кошту|вартіст|\bціна|\bплатит|безкоштовн|\bстоит|стоимост|\bцена|бесплатн|\bплата\b"
    r"|تكلف|سعر|رسوم|مجاني|أدفع|ثمن|κοστίζει|κόστος|τιμή|πληρώ|δωρεάν"
)
WHEN: Final = (
    r"\bquand\b|\bdate limite\b|\bquando\b|\bscadenza\b|\bcuándo\b|\bplazo\b|\bcând\b|\bkiedy\b"
    r"|\bne zaman\b|\bколи\b|\bкогда\b|متى|\bπότε\b|\bπροθεσμία"
)
HOW_LONG: Final = (
    r"\bcombien de temps\b|\bquanto (?:tempo|dura)\b|\bcuánto (?:tiempo|dura|tarda)|\bcât (?:timp|durează)"
    r"|\bjak (?:długo|często|szybko)\b|\bne kadar sür|\bкак (?:долго|часто|быстро)\b|\bяк (?:довго|часто)\b"
    r"|كم يستغرق|كم من الوقت|\bπόσο (?:καιρό|διαρκεί|συχνά)"
)
HOW_MANY: Final = (
    r"\bcombien de (?!temps)|\bquant[ie] |\bcuánt[oa]s\b|\bcâ(?:ți|te)\b|\bkaç (?:kişi|tane|yaş|gün)"
    r"|\bπόσ(?:οι|ες|α)\b"
)
WHERE: Final = (
    r"\boù\b|\bdov['’]è\b|\bdove (?:si|posso|devo)\b|\bdónde\b|\bunde\b|\bgdzie\b|\bdokąd\b"
    r"|\bnere(?:de|ye|si)|^де\b|\bкуди\b|\bгде\b|\bкуда\b|أين|\bπού\b"
)
WHO: Final = (
    r"\bqui (?:est|dirige)\b|\bchi è\b|\bquién es\b|\bcine e(?:ste)?\b|\bkto jest\b|\b(?:başkanı|müdürü) kim"
    r"|\bхто (?:є|очолює)\b|\bкто (?:такой|возглавляет)\b|من هو|ποι(?:ος|α) είναι"
)
REACH: Final = (
    r"\btéléphone|\bcontacter\b|\bchiamare\b|\bcontattare\b|\bteléfono\b|\bllamar\b|\bcontactar"
    r"|\bzadzwonić\b|\biletişim\b|\barayabil|телефон|подзвонити|зв['’]язатися|позвонить|связаться|هاتف|أتصل|τηλέφωνο"
)
DOCUMENTS: Final = (
    r"\bdocuments? (?:faut|apporter)|\bpièces?\b|\bapporter\b|\bdocumenti\b|\bportare\b|\bdocumentos\b"
    r"|\btraer\b|\bacte\b|\baduc\b|\bdokumenty\b|\bprzynieść\b|\bbelge|\bgetirmem\b|документ|\bпринести\b|مستندات|وثائق|έγγραφ"
)
PERMISSION: Final = (
    r"\bpuis-je\b|\ba-t-on le droit\b|\bautorisé|\bposso\b|\bsi può\b|\bpuedo\b|\bse puede\b|\bam voie\b"
    r"|\bczy mogę\b|\bczy wolno\b|\bizin\b|\bможно ли\b|\bчи можна\b|هل يجوز|هل يمكن|επιτρέπεται"
)
