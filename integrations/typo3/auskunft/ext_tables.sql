CREATE TABLE tx_auskunft_page (
    page int(11) unsigned NOT NULL,
    changed bigint(20) unsigned DEFAULT '0' NOT NULL,
    sent bigint(20) unsigned DEFAULT '0' NOT NULL,
    below smallint(5) unsigned DEFAULT '0' NOT NULL,
    due int(11) unsigned DEFAULT '0' NOT NULL,
    languages varchar(255) DEFAULT '' NOT NULL,
    failure text,
    PRIMARY KEY (page)
);
