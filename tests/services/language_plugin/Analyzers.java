package auskunft.services;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.de.GermanAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.es.SpanishAnalyzer;
import org.apache.lucene.analysis.fr.FrenchAnalyzer;
import org.apache.lucene.analysis.it.ItalianAnalyzer;
import org.apache.lucene.analysis.nl.DutchAnalyzer;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.synonym.SynonymGraphFilter;
import org.apache.lucene.analysis.synonym.SynonymMap;
import org.apache.lucene.util.CharsRef;
import org.elasticsearch.plugin.analysis.AnalyzerFactory;

/** Lucene's language analyzers, which the test distribution lacks, and one whose synonyms only the server knows. */
public final class Analyzers {
    private Analyzers() {}

    public static final class German implements AnalyzerFactory {
        @Override
        public Analyzer create() {
            return new GermanAnalyzer();
        }
    }

    public static final class English implements AnalyzerFactory {
        @Override
        public Analyzer create() {
            return new EnglishAnalyzer();
        }
    }

    public static final class French implements AnalyzerFactory {
        @Override
        public Analyzer create() {
            return new FrenchAnalyzer();
        }
    }

    public static final class Italian implements AnalyzerFactory {
        @Override
        public Analyzer create() {
            return new ItalianAnalyzer();
        }
    }

    public static final class Spanish implements AnalyzerFactory {
        @Override
        public Analyzer create() {
            return new SpanishAnalyzer();
        }
    }

    public static final class Dutch implements AnalyzerFactory {
        @Override
        public Analyzer create() {
            return new DutchAnalyzer();
        }
    }

    /** Lower-cased words; each word of a group is also every other word of it. No stemming, no stop words. */
    public static final class TownSynonyms implements AnalyzerFactory {
        private static final String[][] GROUPS = {{"bin", "refuse", "rubbish"}, {"müll", "abfall"}};

        @Override
        public Analyzer create() {
            SynonymMap synonyms = synonyms();
            return new Analyzer() {
                @Override
                protected TokenStreamComponents createComponents(String field) {
                    Tokenizer words = new StandardTokenizer();
                    return new TokenStreamComponents(
                            words, new SynonymGraphFilter(new LowerCaseFilter(words), synonyms, false));
                }
            };
        }

        private static SynonymMap synonyms() {
            SynonymMap.Builder builder = new SynonymMap.Builder();
            for (String[] group : GROUPS) {
                for (String word : group) {
                    for (String other : group) {
                        if (!word.equals(other)) {
                            builder.add(new CharsRef(word), new CharsRef(other), true);
                        }
                    }
                }
            }
            try {
                return builder.build();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
    }
}
