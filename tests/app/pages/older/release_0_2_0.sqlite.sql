BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0014');
CREATE TABLE announcements (
	source VARCHAR(64) NOT NULL, 
	id TEXT NOT NULL, 
	language VARCHAR(3) NOT NULL, 
	revision BIGINT, 
	republish BOOLEAN NOT NULL, 
	announced_at DATETIME NOT NULL, 
	arrivals INTEGER NOT NULL, 
	priority INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_attempt_at DATETIME NOT NULL, 
	claimed_by VARCHAR(64), 
	claimed_until DATETIME NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (source, id, language)
);
CREATE TABLE answers (
	id VARCHAR(32) NOT NULL, 
	conversation VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	question TEXT NOT NULL, 
	document TEXT, 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, status VARCHAR(16) DEFAULT 'running' NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (conversation, number)
);
INSERT INTO "answers" VALUES('answered','c',0,'ÜBER?',NULL,'2026-11-21 12:00:00.000000',NULL,'answered');
INSERT INTO "answers" VALUES('no_answer','c',1,'ÜBER?',NULL,'2026-11-21 12:00:00.000000',NULL,'no_answer');
INSERT INTO "answers" VALUES('extractive','c',2,'ÜBER?',NULL,'2026-11-21 12:00:00.000000',NULL,'extractive');
INSERT INTO "answers" VALUES('running','c',3,'ÜBER?',NULL,'2026-11-21 12:00:00.000000',NULL,'running');
CREATE TABLE bodies (
	source VARCHAR(64) NOT NULL, 
	id TEXT NOT NULL, 
	language VARCHAR(3) NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (source, id, language), 
	FOREIGN KEY(source, id, language) REFERENCES pages (source, id, language)
);
INSERT INTO "bodies" VALUES('town','indexed','de','{"fields":{"content":{"media_type":"text/html","text":"Gr\u00fc\u00dfe"},"title":{"media_type":"text/plain","text":"Title of indexed"}},"metadata":{}}');
INSERT INTO "bodies" VALUES('town','failed','de','{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of failed"}},"metadata":{}}');
INSERT INTO "bodies" VALUES('town','waiting','de','{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of waiting"}},"metadata":{}}');
INSERT INTO "bodies" VALUES('town','out','de','{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of out"}},"metadata":{}}');
INSERT INTO "bodies" VALUES('town','window','de','{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of window"}},"metadata":{}}');
INSERT INTO "bodies" VALUES('town','pending','en','{"fields":{"content":{"media_type":"text/html","text":"new"},"title":{"media_type":"text/plain","text":"Title of pending"}},"metadata":{}}');
INSERT INTO "bodies" VALUES('town','claimed','de','{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of claimed"}},"metadata":{}}');
CREATE TABLE builds (
	slot INTEGER NOT NULL, 
	worker VARCHAR(64) NOT NULL, 
	since DATETIME NOT NULL, 
	until DATETIME NOT NULL, 
	generation BIGINT, 
	PRIMARY KEY (slot)
);
INSERT INTO "builds" VALUES(1,'builder','2026-11-21 12:00:00.000000','2026-11-21 12:05:00.000000',4);
CREATE TABLE conversations (
	id VARCHAR(32) NOT NULL, 
	site VARCHAR(64) NOT NULL, 
	used_at DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "conversations" VALUES('c','town','2026-11-21 12:00:00.000000');
CREATE TABLE deletions (
	source VARCHAR(64) NOT NULL, 
	id TEXT NOT NULL, 
	revision BIGINT NOT NULL, 
	PRIMARY KEY (source, id)
);
CREATE TABLE deliveries (
	source VARCHAR(64) NOT NULL, 
	id TEXT NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (source, id)
);
CREATE TABLE feedback (
	answer VARCHAR(32) NOT NULL, 
	rating VARCHAR(8) NOT NULL, 
	comment TEXT NOT NULL, 
	given_at DATETIME NOT NULL, 
	PRIMARY KEY (answer)
);
CREATE TABLE fetched (
	source VARCHAR(64) NOT NULL, 
	id TEXT NOT NULL, 
	language VARCHAR(3) NOT NULL, 
	url TEXT NOT NULL, 
	etag TEXT NOT NULL, 
	last_modified TEXT NOT NULL, 
	PRIMARY KEY (source, id, language)
);
CREATE TABLE installation (
	slot INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	indexed_in TEXT NOT NULL, 
	PRIMARY KEY (slot)
);
INSERT INTO "installation" VALUES(1,'b9e7f3d33dec4a07b8f81a06f2735f5f','');
CREATE TABLE jobs (
	id VARCHAR(32) NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	page TEXT NOT NULL, 
	language VARCHAR(3), 
	sequence BIGINT NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	reason TEXT NOT NULL, 
	delivery TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	accepted_at DATETIME NOT NULL, fetched_at DATETIME, 
	PRIMARY KEY (id)
);
CREATE TABLE listed (
	source VARCHAR(64) NOT NULL, 
	id TEXT NOT NULL, 
	language VARCHAR(3) NOT NULL, 
	taken BOOLEAN NOT NULL, 
	revision BIGINT, 
	updated DATETIME, 
	awaited_since DATETIME, 
	absences INTEGER NOT NULL, 
	vanished BOOLEAN NOT NULL, 
	PRIMARY KEY (source, id, language)
);
CREATE TABLE meta (
	name VARCHAR(32) NOT NULL, 
	value BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "meta" VALUES('sequence',10);
INSERT INTO "meta" VALUES('schema',3);
CREATE TABLE pages (
	source VARCHAR(64) NOT NULL, 
	id TEXT NOT NULL, 
	language VARCHAR(3) NOT NULL, 
	document TEXT NOT NULL, 
	url TEXT NOT NULL, 
	title TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	updated DATETIME, 
	publish_from DATETIME, 
	publish_until DATETIME, 
	revision BIGINT, 
	content_hash VARCHAR(64) NOT NULL, 
	deleted BOOLEAN NOT NULL, 
	excluded BOOLEAN NOT NULL, 
	sequence BIGINT NOT NULL, 
	indexed_sequence BIGINT NOT NULL, 
	settled_sequence BIGINT NOT NULL, 
	indexed_at DATETIME, 
	priority INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_attempt_at DATETIME NOT NULL, 
	claimed_by VARCHAR(64), 
	claimed_until DATETIME NOT NULL, 
	reason TEXT NOT NULL, 
	message TEXT NOT NULL, failed_at DATETIME, accepted_at DATETIME, 
	PRIMARY KEY (source, id, language)
);
INSERT INTO "pages" VALUES('town','indexed','de','indexed','https://town.example/indexed','Title of indexed','page',NULL,NULL,NULL,7,'60e2ccc292fcffd2dcfe5676983f80b052d3aa61800e5e9641241e7895c5e204',0,0,1,1,1,'2026-11-21 12:00:00.000000',0,0,'1970-01-01 00:00:00.000000',NULL,'1970-01-01 00:00:00.000000','','',NULL,NULL);
INSERT INTO "pages" VALUES('town','failed','de','failed','https://town.example/failed','Title of failed','page',NULL,NULL,NULL,NULL,'d20ecca20d332548f42483d103cb18587d740f0da3621c8df4726fc2d9351dae',0,0,2,0,2,NULL,0,1,'1970-01-01 00:00:00.000000',NULL,'1970-01-01 00:00:00.000000','too_large','cut it',NULL,NULL);
INSERT INTO "pages" VALUES('town','waiting','de','waiting','https://town.example/waiting','Title of waiting','page',NULL,NULL,NULL,NULL,'c5640ac1d0cb63ff1bcbcb1c4ac37b00dc61b4acdcc20c32ef85ddd57a788649',0,0,3,0,0,NULL,0,0,'2026-11-21 12:01:00.000000',NULL,'1970-01-01 00:00:00.000000','embedder_unavailable','',NULL,NULL);
INSERT INTO "pages" VALUES('town','gone','de','gone','https://town.example/gone','','page',NULL,NULL,NULL,3,'',1,0,8,8,8,'2026-11-21 12:00:00.000000',0,0,'1970-01-01 00:00:00.000000',NULL,'1970-01-01 00:00:00.000000','','',NULL,NULL);
INSERT INTO "pages" VALUES('town','out','de','out','https://town.example/out','Title of out','page',NULL,NULL,NULL,NULL,'5691459e50a4cd1e26e4bb74c9ed77d41c63a3b8989bb6a083cc9190eea7f727',0,1,7,7,7,'2026-11-21 12:00:00.000000',0,0,'1970-01-01 00:00:00.000000',NULL,'1970-01-01 00:00:00.000000','','',NULL,NULL);
INSERT INTO "pages" VALUES('town','window','de','window','https://town.example/window','Title of window','page',NULL,'2026-11-22 12:00:00.000000',NULL,NULL,'15a3547a5d70b2e1a7bbdb98285b3bf6a9a463cb447906a99f9ecd45f279f34e',0,0,6,6,6,'2026-11-21 12:00:00.000000',0,0,'1970-01-01 00:00:00.000000',NULL,'1970-01-01 00:00:00.000000','','',NULL,NULL);
INSERT INTO "pages" VALUES('town','pending','en','pending','https://town.example/pending','Title of pending','page',NULL,NULL,NULL,NULL,'68b5eba9cea0784c828884928b700a4d82f8611a611f435d74f991371d64645b',0,0,9,0,0,NULL,5,0,'1970-01-01 00:00:00.000000',NULL,'1970-01-01 00:00:00.000000','','',NULL,NULL);
INSERT INTO "pages" VALUES('town','claimed','de','claimed','https://town.example/claimed','Title of claimed','page',NULL,NULL,NULL,NULL,'6a206ae66053220a63a9503b9f7217419c7a3edf1bd8a015fecf81f91ff3de76',0,0,10,0,0,NULL,0,1,'1970-01-01 00:00:00.000000','dead','2026-11-21 12:05:00.000000','','',NULL,NULL);
CREATE TABLE pulls (
	source VARCHAR(64) NOT NULL, 
	worker VARCHAR(64), 
	until DATETIME, 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	complete_at DATETIME, 
	updated_after DATETIME, 
	problem TEXT NOT NULL, "left" INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (source)
);
CREATE TABLE rebuild_pages (
	source VARCHAR(64) NOT NULL, 
	id TEXT NOT NULL, 
	language VARCHAR(3) NOT NULL, 
	sequence BIGINT NOT NULL, 
	settled BOOLEAN NOT NULL, 
	attempts INTEGER NOT NULL, 
	claimed_by VARCHAR(64), 
	claimed_until DATETIME NOT NULL, 
	reason TEXT NOT NULL, 
	message TEXT NOT NULL, 
	PRIMARY KEY (source, id, language)
);
CREATE TABLE rebuilds (
	id VARCHAR(32) NOT NULL, 
	source VARCHAR(64), 
	take_over BOOLEAN NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	cancelled BOOLEAN NOT NULL, 
	reason TEXT NOT NULL, 
	generation BIGINT, 
	pages INTEGER NOT NULL, 
	written INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	requested_at DATETIME NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	worker VARCHAR(64), 
	until DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE reconciliations (
	id INTEGER NOT NULL, 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	generation BIGINT, 
	pages INTEGER NOT NULL, 
	problem TEXT NOT NULL, 
	found TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE rejected (
	source VARCHAR(64) NOT NULL, 
	document TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	message TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (source, document)
);
INSERT INTO "rejected" VALUES('town','bad.html','not_text','no text','2026-11-21 12:00:00.000000');
CREATE TABLE tallies (
	name VARCHAR(32) NOT NULL, 
	first VARCHAR(64) NOT NULL, 
	second VARCHAR(64) NOT NULL, 
	value DOUBLE NOT NULL, 
	PRIMARY KEY (name, first, second)
);
CREATE TABLE vectors (
	recipe VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	vector BLOB NOT NULL, 
	last_used DATETIME NOT NULL, 
	PRIMARY KEY (recipe, hash)
);
INSERT INTO "vectors" VALUES('recipe','hash',X'0000803F000020C0','2026-11-21 12:00:00.000000');
CREATE INDEX pages_document ON pages (source, document);
CREATE INDEX pages_queue ON pages (priority DESC, attempts, sequence) WHERE settled_sequence < sequence;
CREATE INDEX pages_worker ON pages (claimed_by);
CREATE INDEX vectors_last_used ON vectors (last_used);
CREATE INDEX deliveries_at ON deliveries (at);
CREATE INDEX jobs_delivery ON jobs (source, delivery);
CREATE INDEX jobs_accepted_at ON jobs (accepted_at);
CREATE INDEX rebuild_pages_due ON rebuild_pages (attempts, source, id) WHERE NOT settled;
CREATE INDEX rebuild_pages_worker ON rebuild_pages (claimed_by);
CREATE INDEX jobs_announced ON jobs (source, page) WHERE status = 'announced';
CREATE INDEX jobs_sequence ON jobs (sequence);
CREATE INDEX pages_acts ON pages (source, id) WHERE kind = 'act';
CREATE INDEX conversations_by_use ON conversations (site, used_at);
CREATE INDEX answers_by_start ON answers (started_at);
COMMIT;
