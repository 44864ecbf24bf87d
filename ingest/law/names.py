"""Customary names of well-known acts in English, German and French."""

from collections.abc import Mapping
from functools import cache
from typing import Final

LANGUAGES: Final = ("en", "de", "fr")

_NAMES: Final[dict[str, tuple[str, str, str, str]]] = {
    "32024R1689": ("AI Act", "KI-Verordnung", "règlement sur l'IA",
        "EU AI Act|Artificial Intelligence Act|KI-Gesetz|KI-VO|KI-Act"
        "|Gesetz über künstliche Intelligenz|règlement sur l'intelligence artificielle|règlement IA"
        "|loi sur l'IA"),
    "32016R0679": ("GDPR", "DSGVO", "RGPD",
        "General Data Protection Regulation|Datenschutz-Grundverordnung|DS-GVO|EU-DSGVO"
        "|règlement général sur la protection des données"),
    "32022R2065": ("Digital Services Act", "Gesetz über digitale Dienste",
        "règlement sur les services numériques", "DSA|législation sur les services numériques"),
    "32022R1925": ("Digital Markets Act", "Gesetz über digitale Märkte",
        "règlement sur les marchés numériques", "DMA|législation sur les marchés numériques"),
    "32022L2555": ("NIS 2 Directive", "NIS-2-Richtlinie", "directive SRI 2",
        "NIS2|NIS 2|NIS2 Directive|NIS2-Richtlinie|directive NIS 2|directive NIS2"),
    "32016L1148": ("NIS Directive", "NIS-Richtlinie", "directive SRI", "directive NIS"),
    "32004L0039": ("MiFID", "Finanzmarktrichtlinie", "directive MIF", "MiFID I"),
    "32014L0065": ("MiFID II", "MiFID II", "directive MIF II", "MiFID 2|MIF II"),
    "32014R0600": ("MiFIR", "MiFIR", "MiFIR", ""),
    "32009L0110": ("E-Money Directive", "E-Geld-Richtlinie", "directive sur la monnaie électronique",
        "Electronic Money Directive|EMD2|directive monnaie électronique|zweite E-Geld-Richtlinie"),
    "32014R0910": ("eIDAS Regulation", "eIDAS-Verordnung", "règlement eIDAS", "eIDAS|eIDAS-VO"),
    "32024R1183": ("eIDAS 2", "eIDAS 2", "eIDAS 2", "eIDAS 2.0"),
    "32023R2854": ("Data Act", "Datenverordnung", "règlement sur les données", "EU Data Act|Datengesetz"),
    "32022R0868": ("Data Governance Act", "Daten-Governance-Rechtsakt",
        "règlement sur la gouvernance des données", "DGA|Daten-Governance-Gesetz"),
    "32022R2554": ("DORA", "DORA", "DORA",
        "Digital Operational Resilience Act|règlement DORA|DORA-Verordnung"),
    "32024R2847": ("Cyber Resilience Act", "Cyberresilienz-Verordnung", "règlement sur la cyberrésilience",
        "CRA|Cyberresilienzgesetz"),
    "32019R0881": ("Cybersecurity Act", "Rechtsakt zur Cybersicherheit", "règlement sur la cybersécurité",
        ""),
    "32022L2557": ("CER Directive", "CER-Richtlinie", "directive REC",
        "Critical Entities Resilience Directive"),
    "32015L2366": ("PSD2", "PSD2", "DSP2",
        "Payment Services Directive 2|PSD 2|zweite Zahlungsdiensterichtlinie"
        "|Zahlungsdiensterichtlinie"),
    "32023R1114": ("MiCA", "MiCA", "MiCA",
        "MiCAR|Markets in Crypto-Assets Regulation|MiCA Regulation|MiCA-Verordnung|règlement MiCA"),
    "32014R0596": ("Market Abuse Regulation", "Marktmissbrauchsverordnung",
        "règlement relatif aux abus de marché", "MAR|règlement abus de marché"),
    "32013R0575": ("CRR", "Kapitaladäquanzverordnung", "CRR", "Capital Requirements Regulation"),
    "32013L0036": ("CRD IV", "CRD IV", "CRD IV", "Capital Requirements Directive"),
    "32012R0648": ("EMIR", "EMIR", "EMIR", "European Market Infrastructure Regulation"),
    "32009L0138": ("Solvency II", "Solvabilität II", "Solvabilité II",
        "Solvency II Directive|Solvency 2|Solvency II-Richtlinie|directive Solvabilité II"),
    "32015L0849": ("4th Anti-Money Laundering Directive", "Vierte Geldwäscherichtlinie",
        "quatrième directive anti-blanchiment",
        "AMLD4|4AMLD|AMLD 4|Anti-Money Laundering Directive|Geldwäscherichtlinie"
        "|directive anti-blanchiment"),
    "32018L0843": ("5th Anti-Money Laundering Directive", "Fünfte Geldwäscherichtlinie",
        "cinquième directive anti-blanchiment", "AMLD5|5AMLD|AMLD 5"),
    "32002L0058": ("ePrivacy Directive", "ePrivacy-Richtlinie",
        "directive vie privée et communications électroniques",
        "Datenschutzrichtlinie für elektronische Kommunikation|directive ePrivacy"
        "|e-Privacy Directive"),
    "32016L0680": ("Law Enforcement Directive", "JI-Richtlinie", "directive police-justice", ""),
    "31995L0046": ("Data Protection Directive", "Datenschutzrichtlinie",
        "directive sur la protection des données", ""),
    "32000L0031": ("E-Commerce Directive", "E-Commerce-Richtlinie",
        "directive sur le commerce électronique", "Electronic Commerce Directive"),
    "32019L0790": ("DSM Copyright Directive", "DSM-Richtlinie", "directive sur le droit d'auteur",
        "Copyright Directive|Urheberrechtsrichtlinie"),
    "32018L1972": ("European Electronic Communications Code",
        "europäischer Kodex für die elektronische Kommunikation",
        "code des communications électroniques européen", "EECC|EKEK"),
    "32010L0013": ("Audiovisual Media Services Directive", "AVMD-Richtlinie", "directive SMA", "AVMSD"),
    "32024R1083": ("European Media Freedom Act", "Europäisches Medienfreiheitsgesetz",
        "règlement européen sur la liberté des médias", "EMFA"),
    "32019R1150": ("P2B Regulation", "P2B-Verordnung", "règlement P2B", "Platform-to-Business Regulation"),
    "32018L2001": ("RED II", "RED II", "RED II", "Renewable Energy Directive II|RED 2"),
    "32009L0028": ("Renewable Energy Directive", "Erneuerbare-Energien-Richtlinie",
        "directive sur les énergies renouvelables", "RED I"),
    "32012L0027": ("Energy Efficiency Directive 2012", "Energieeffizienzrichtlinie 2012",
        "directive relative à l'efficacité énergétique de 2012", ""),
    "32023L1791": ("Energy Efficiency Directive", "Energieeffizienzrichtlinie",
        "directive relative à l'efficacité énergétique",
        "EED|Energieeffizienz-Richtlinie|directive efficacité énergétique"),
    "32009L0125": ("Ecodesign Directive", "Ökodesign-Richtlinie", "directive écoconception", ""),
    "32024R1781": ("Ecodesign Regulation", "Ökodesign-Verordnung", "règlement écoconception", "ESPR"),
    "32003L0087": ("ETS Directive", "Emissionshandelsrichtlinie", "directive SEQE",
        "EU ETS Directive|EHS-Richtlinie"),
    "32018R1999": ("Energy Union Governance Regulation", "Governance-Verordnung",
        "règlement sur la gouvernance de l'union de l'énergie", ""),
    "31998L0070": ("Fuel Quality Directive", "Kraftstoffqualitätsrichtlinie",
        "directive sur la qualité des carburants", ""),
    "32006L0112": ("VAT Directive", "Mehrwertsteuer-Systemrichtlinie", "directive TVA",
        "Mehrwertsteuerrichtlinie"),
    "31977L0388": ("Sixth VAT Directive", "Sechste Mehrwertsteuerrichtlinie", "sixième directive TVA", ""),
    "32022L2523": ("Pillar Two Directive", "Mindestbesteuerungsrichtlinie", "directive Pilier 2",
        "Minimum Tax Directive"),
    "31996L0071": ("Posted Workers Directive", "Entsenderichtlinie",
        "directive sur le détachement des travailleurs",
        "Posting of Workers Directive|directive détachement"),
    "32003L0088": ("Working Time Directive", "Arbeitszeitrichtlinie", "directive sur le temps de travail",
        ""),
    "31993L0013": ("Unfair Contract Terms Directive", "Klauselrichtlinie",
        "directive sur les clauses abusives", ""),
    "32011L0083": ("Consumer Rights Directive", "Verbraucherrechterichtlinie",
        "directive relative aux droits des consommateurs", ""),
    "32005L0029": ("Unfair Commercial Practices Directive", "UGP-Richtlinie",
        "directive sur les pratiques commerciales déloyales", "UCPD"),
    "31998L0027": ("Injunctions Directive", "Unterlassungsklagenrichtlinie",
        "directive sur les actions en cessation", ""),
    "32009L0081": ("Defence Procurement Directive", "Verteidigungsvergaberichtlinie",
        "directive sur les marchés publics de la défense", ""),
    "32014L0024": ("Public Procurement Directive", "Vergaberichtlinie",
        "directive sur les marchés publics", ""),
    "32004R0139": ("Merger Regulation", "Fusionskontrollverordnung", "règlement sur les concentrations",
        "EC Merger Regulation|EU Merger Regulation|EUMR|FKVO"),
    "32006R1907": ("REACH", "REACH", "REACH", "REACH Regulation|REACH-Verordnung|règlement REACH"),
    "32008R1272": ("CLP Regulation", "CLP-Verordnung", "règlement CLP", "CLP"),
    "32017R0745": ("Medical Device Regulation", "Medizinprodukteverordnung",
        "règlement relatif aux dispositifs médicaux", "MDR|Medical Devices Regulation"),
    "32017R0746": ("IVDR", "IVDR", "IVDR", "In Vitro Diagnostic Regulation"),
    "32019R1020": ("Market Surveillance Regulation", "Marktüberwachungsverordnung",
        "règlement sur la surveillance du marché", ""),
    "32023R0988": ("General Product Safety Regulation", "Produktsicherheitsverordnung",
        "règlement relatif à la sécurité générale des produits", "GPSR"),
    "32023R1230": ("Machinery Regulation", "Maschinenverordnung", "règlement machines", ""),
    "32006L0042": ("Machinery Directive", "Maschinenrichtlinie", "directive machines", ""),
    "32020R0852": ("Taxonomy Regulation", "Taxonomie-Verordnung", "règlement taxinomie", "EU Taxonomy"),
    "32019R2088": ("SFDR", "Offenlegungsverordnung", "SFDR", "Sustainable Finance Disclosure Regulation"),
    "32022L2464": ("CSRD", "CSRD", "CSRD", "Corporate Sustainability Reporting Directive"),
    "32024L1760": ("CSDDD", "Lieferkettenrichtlinie", "CSDDD",
        "CS3D|Corporate Sustainability Due Diligence Directive|directive sur le devoir de vigilance"),
    "32023R1115": ("Deforestation Regulation", "Entwaldungsverordnung", "règlement sur la déforestation",
        "EUDR"),
    "32023R0956": ("CBAM Regulation", "CBAM-Verordnung", "règlement MACF", "CBAM"),
    "32012R1215": ("Brussels I bis", "Brüssel Ia", "Bruxelles I bis",
        "Brussels Ia|EuGVVO|Brüssel-Ia-Verordnung"),
    "32008R0593": ("Rome I Regulation", "Rom-I-Verordnung", "règlement Rome I", "Rome I|Rom I"),
    "32007R0864": ("Rome II Regulation", "Rom-II-Verordnung", "règlement Rome II", "Rome II|Rom II"),
    "32010R1095": ("ESMA Regulation", "ESMA-Verordnung", "règlement AEMF", ""),
    "32004R0261": ("Air Passenger Rights Regulation", "Fluggastrechteverordnung",
        "règlement sur les droits des passagers aériens", "EU261|EU 261"),
    "32025R0327": ("European Health Data Space Regulation", "EHDS-Verordnung",
        "règlement relatif à l'espace européen des données de santé", "EHDS"),
}  # fmt: skip
"""By CELEX number: the names to show in English, German and French, and further names, separated by ``|``."""

ORDINARY_WORDS: Final = frozenset({"cra", "dora", "emir", "mar", "mdr", "mica", "reach"})
"""Names that are something else in lower case: in a sentence they count only with capitals."""


@cache
def customary_names() -> Mapping[str, str]:
    """Return CELEX numbers by customary name, in lower case, of all languages."""
    return {
        name.lower(): celex
        for celex, (*shown, others) in _NAMES.items()
        for name in (*shown, *others.split("|"))
        if name
    }


def spoken_language(celex: str, question: str) -> str | None:
    """Return the language whose name of the act the question uses: "AI Act" is English, whatever the other
    words. None if there is none, or several languages have it, such as MiFIR."""
    said = question.casefold()
    names = {language: short_name(celex, language).casefold() for language in LANGUAGES}
    spoken = [language for language, name in names.items() if name and name in said]
    return spoken[0] if len(spoken) == 1 else None


def short_name(celex: str, language: str) -> str:
    """Return the act's customary name in that language, otherwise in English; empty if it has none."""
    names = _NAMES.get(celex)
    if names is None:
        return ""
    code = language[:2].lower()
    return names[LANGUAGES.index(code) if code in LANGUAGES else 0]
