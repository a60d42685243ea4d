#pragma once

#include "protocols/cosmos/service.h"

// One function per operation, each in a file of its own. A handler answers its exchange exactly once, now or later.
namespace partita::cosmos {

void read_account(const Service& service, ExchangePtr exchange);
void list_addresses(const Service& service, ExchangePtr exchange);

void create_database(const Service& service, ExchangePtr exchange);
void list_databases(const Service& service, ExchangePtr exchange);
void read_database(const Service& service, ExchangePtr exchange);
void delete_database(const Service& service, ExchangePtr exchange);

void create_container(const Service& service, ExchangePtr exchange);
void list_containers(const Service& service, ExchangePtr exchange);
void read_container(const Service& service, ExchangePtr exchange);
void replace_container(const Service& service, ExchangePtr exchange);
void delete_container(const Service& service, ExchangePtr exchange);

void list_ranges(const Service& service, ExchangePtr exchange);
void read_range(const Service& service, ExchangePtr exchange);
void list_conflicts(const Service& service, ExchangePtr exchange);
void find_conflict(const Service& service, ExchangePtr exchange);

void delete_partition_key(const Service& service, ExchangePtr exchange);

void list_offers(const Service& service, ExchangePtr exchange);
void read_offer(const Service& service, ExchangePtr exchange);
void replace_offer(const Service& service, ExchangePtr exchange);

// Users, permissions and client encryption keys.
void create_child(const Service& service, ExchangePtr exchange);
void list_children(const Service& service, ExchangePtr exchange);
void read_child(const Service& service, ExchangePtr exchange);
void replace_child(const Service& service, ExchangePtr exchange);
void delete_child(const Service& service, ExchangePtr exchange);

// Stored procedures, triggers and user defined functions.
void create_script(const Service& service, ExchangePtr exchange);
void list_scripts(const Service& service, ExchangePtr exchange);
void read_script(const Service& service, ExchangePtr exchange);
void replace_script(const Service& service, ExchangePtr exchange);
void delete_script(const Service& service, ExchangePtr exchange);
void execute_procedure(const Service& service, ExchangePtr exchange);

void create_item(const Service& service, ExchangePtr exchange);
void batch_items(const Service& service, ExchangePtr exchange);
void plan_query(const Service& service, ExchangePtr exchange);
void query_items(const Service& service, ExchangePtr exchange);
void list_items(const Service& service, ExchangePtr exchange);
void read_change_feed(const Service& service, ExchangePtr exchange);
void read_item(const Service& service, ExchangePtr exchange);
void replace_item(const Service& service, ExchangePtr exchange);
void patch_item(const Service& service, ExchangePtr exchange);
void delete_item(const Service& service, ExchangePtr exchange);

void create_attachment(const Service& service, ExchangePtr exchange);
void list_attachments(const Service& service, ExchangePtr exchange);
void read_attachment(const Service& service, ExchangePtr exchange);
void replace_attachment(const Service& service, ExchangePtr exchange);
void delete_attachment(const Service& service, ExchangePtr exchange);
void read_media(const Service& service, ExchangePtr exchange);
void replace_media(const Service& service, ExchangePtr exchange);

}  // namespace partita::cosmos
