"""Families of dense models with plain feed-forward blocks and norms by mean and variance: GPT-2 and what followed."""

from __future__ import annotations

from ndpir.frontends.configs.families.family import LAYER, REQUIRED, SIZES, Facts, Family, Fields, fields, named

_BIASES = {"query_key_bias": True, "output_bias": True, "feed_forward_bias": True, "norm_bias": True}
_FACTS = {"norm": "layer", "gated": False, **_BIASES}
_EPSILON: Fields = {"epsilon": ("layer_norm_epsilon", 1e-5)}
_SIZES: Fields = {fact: stated for fact, stated in SIZES.items() if fact not in ("kv_heads", "head_size", "epsilon")}
"""The usual fields of models in which each head has keys of its own."""


def _head_norms(value: bool, facts: Facts) -> None:
    if value:
        layer = LAYER + ".self_attn."
        facts["names"] |= {"query_norm": layer + "q_layernorm.weight", "key_norm": layer + "k_layernorm.weight"}
        facts["qk_norm"] = "head"


def _unscaled(value: bool, facts: Facts) -> None:
    if not value:
        facts["scale"] = 1.0


def _norms_behind(value: bool, facts: Facts) -> None:
    """OPT with norms behind the sums instead of before the blocks, and without a last one (350m)."""
    names = facts["names"]
    if not value:
        names["attention_sum_norm"] = names.pop("attention_norm")
        names["feed_forward_sum_norm"] = names.pop("feed_forward_norm")
        names.pop("final_norm")


def _last_norm_removed(value: bool, facts: Facts) -> None:
    if value:
        facts["names"].pop("final_norm", None)


def _embedding_size(value: int, facts: Facts) -> None:
    if value not in (0, facts["hidden"]):
        decoder = "model.decoder."
        facts["names"] |= {
            "embedding_in": decoder + "project_in.weight",
            "embedding_out": decoder + "project_out.weight",
        }
        facts["embedding_size"] = value


def _opt_biases(value: bool, facts: Facts) -> None:
    facts |= dict.fromkeys(("query_key_bias", "output_bias", "feed_forward_bias"), value)


def _falcon_groups(value: bool, facts: Facts) -> None:
    facts["joined"] = "by group" if value else "in order"


def _falcon_heads(value: bool, facts: Facts) -> None:
    """Falcon with one key head for all queries (7B), or as many as query heads, where heads are not in groups (40B)."""
    if facts["joined"] == "in order":
        facts["kv_heads"] = 1 if value else facts["heads"]
        facts["joined"] = "in order" if value else "by group"
        facts["grouped"] = False


def _falcon_parallel(value: bool, facts: Facts) -> None:
    """Falcon whose blocks follow one another, each with a norm of its own (1B)."""
    if not value and not facts.get("grouped", True):
        facts["parallel"] = False
        facts["names"]["feed_forward_norm"] = "transformer.h.{layer}.post_attention_layernorm.weight"


def _falcon_norms(value: int, facts: Facts) -> None:
    """Falcon with a norm for each block, although both read the same input (40B)."""
    if facts.pop("grouped", True) and value != 1:
        layer = "transformer.h.{layer}."
        facts["names"] |= {"attention_norm": layer + "ln_attn.weight", "feed_forward_norm": layer + "ln_mlp.weight"}


def _falcon_positions(value: bool, facts: Facts) -> None:
    if value:
        facts |= {"positions": "alibi", "scaled_alibi": True}


PLAIN: dict[str, Family] = {
    "gpt2": Family(
        fields(
            _EPSILON,
            {
                "vocabulary": ("vocab_size", REQUIRED),
                "hidden": ("n_embd", REQUIRED),
                "layers": ("n_layer", REQUIRED),
                "heads": ("n_head", REQUIRED),
                "feed_forward": ("n_inner", None),
                "activation": ("activation_function", "gelu_new"),
                "context": ("n_positions", REQUIRED),
                "tied": ("tie_word_embeddings", True),
            },
        ),
        named(
            "transformer.h.{layer}",
            embedding="transformer.wte.weight",
            positions="transformer.wpe.weight",
            final_norm="transformer.ln_f.weight",
            head="lm_head.weight",
            attention_norm=".ln_1.weight",
            query_key_value=".attn.c_attn.weight",
            output=".attn.c_proj.weight",
            feed_forward_norm=".ln_2.weight",
            up=".mlp.c_fc.weight",
            down=".mlp.c_proj.weight",
        ),
        _FACTS | {"positions": "learned", "joined": "in order", "input_major": True},
        {"scale_attn_weights": (True, _unscaled)},
        expected={"scale_attn_by_inverse_layer_idx": (False,)},
        ignored=(
            *("n_ctx", "n_special", "predict_special_tokens", "reorder_and_upcast_attn", "summary_activation"),
            *("summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj"),
        ),
    ),
    "gpt_neox": Family(
        fields(
            _SIZES,
            {
                "activation": ("hidden_act", "gelu"),
                "epsilon": ("layer_norm_eps", 1e-5),
                "query_key_bias": ("attention_bias", True),
                "output_bias": ("attention_bias", True),
                "parallel": ("use_parallel_residual", True),
            },
        ),
        named(
            "gpt_neox.layers.{layer}",
            embedding="gpt_neox.embed_in.weight",
            final_norm="gpt_neox.final_layer_norm.weight",
            head="embed_out.weight",
            attention_norm=".input_layernorm.weight",
            query_key_value=".attention.query_key_value.weight",
            output=".attention.dense.weight",
            feed_forward_norm=".post_attention_layernorm.weight",
            up=".mlp.dense_h_to_4h.weight",
            down=".mlp.dense_4h_to_h.weight",
        ),
        _FACTS | {"joined": "by group"},
        turned=0.25,
    ),
    "opt": Family(
        fields(
            _SIZES,
            {
                "feed_forward": ("ffn_dim", REQUIRED),
                "activation": ("activation_function", "relu"),
                "tied": ("tie_word_embeddings", True),
            },
        ),
        named(
            "model.decoder.layers.{layer}",
            embedding="model.decoder.embed_tokens.weight",
            positions="model.decoder.embed_positions.weight",
            final_norm="model.decoder.final_layer_norm.weight",
            head="lm_head.weight",
            attention_norm=".self_attn_layer_norm.weight",
            query=".self_attn.q_proj.weight",
            key=".self_attn.k_proj.weight",
            value=".self_attn.v_proj.weight",
            output=".self_attn.out_proj.weight",
            feed_forward_norm=".final_layer_norm.weight",
            up=".fc1.weight",
            down=".fc2.weight",
        ),
        _FACTS | {"positions": "learned", "position_offset": 2, "epsilon": 1e-5},
        {
            "do_layer_norm_before": (True, _norms_behind),
            "_remove_final_layer_norm": (False, _last_norm_removed),
            "word_embed_proj_dim": (0, _embedding_size),
            "enable_bias": (True, _opt_biases),
        },
        expected={"layer_norm_elementwise_affine": (True,)},
    ),
    "bloom": Family(
        fields(
            _EPSILON,
            {
                "vocabulary": ("vocab_size", REQUIRED),
                "hidden": (("hidden_size", "n_embed"), REQUIRED),
                "layers": (("n_layer", "num_hidden_layers"), REQUIRED),
                "heads": (("n_head", "num_attention_heads"), REQUIRED),
                "context": ("seq_length", 2048),
                "tied": ("tie_word_embeddings", True),
            },
        ),
        named(
            "transformer.h.{layer}",
            embedding="transformer.word_embeddings.weight",
            embedding_norm="transformer.word_embeddings_layernorm.weight",
            final_norm="transformer.ln_f.weight",
            head="lm_head.weight",
            attention_norm=".input_layernorm.weight",
            query_key_value=".self_attention.query_key_value.weight",
            output=".self_attention.dense.weight",
            feed_forward_norm=".post_attention_layernorm.weight",
            up=".mlp.dense_h_to_4h.weight",
            down=".mlp.dense_4h_to_h.weight",
        ),
        _FACTS | {"positions": "alibi", "joined": "by group", "activation": "gelu_tanh"},
        expected={"apply_residual_connection_post_layernorm": (False,)},
        ignored=(
            *("attention_softmax_in_fp32", "bias_dropout_fusion", "masked_softmax_fusion", "offset_alibi"),
            *("skip_bias_add", "skip_bias_add_qkv", "slow_but_exact", "unk_token_id", "multi_query_attention"),
        ),
    ),
    "falcon": Family(
        fields(
            _SIZES,
            _EPSILON,
            {
                "hidden": (("hidden_size", "n_embed"), REQUIRED),
                "layers": (("num_hidden_layers", "n_layer"), REQUIRED),
                "heads": (("num_attention_heads", "n_head"), REQUIRED),
                "kv_heads": (("num_kv_heads", "n_head_kv"), None),
                "feed_forward": ("ffn_hidden_size", None),
                "activation": ("activation", "gelu"),
                "context": ("max_position_embeddings", 2048),
                "tied": ("tie_word_embeddings", True),
                "query_key_bias": ("bias", False),
                "output_bias": ("bias", False),
                "feed_forward_bias": ("bias", False),
            },
        ),
        named(
            "transformer.h.{layer}",
            embedding="transformer.word_embeddings.weight",
            final_norm="transformer.ln_f.weight",
            head="lm_head.weight",
            attention_norm=".input_layernorm.weight",
            query_key_value=".self_attention.query_key_value.weight",
            output=".self_attention.dense.weight",
            up=".mlp.dense_h_to_4h.weight",
            down=".mlp.dense_4h_to_h.weight",
        ),
        {"norm": "layer", "norm_bias": True, "gated": False, "parallel": True},
        {
            "new_decoder_architecture": (False, _falcon_groups),
            "multi_query": (True, _falcon_heads),
            "parallel_attn": (True, _falcon_parallel),
            "num_ln_in_parallel_attn": (0, _falcon_norms),
            "alibi": (False, _falcon_positions),
        },
        expected={"apply_residual_connection_post_layernorm": (False,)},
    ),
    "phi": Family(
        fields(
            _SIZES,
            {
                "kv_heads": ("num_key_value_heads", None),
                "activation": ("hidden_act", "gelu_new"),
                "epsilon": ("layer_norm_eps", 1e-5),
            },
        ),
        named(
            LAYER,
            embedding="model.embed_tokens.weight",
            final_norm="model.final_layernorm.weight",
            head="lm_head.weight",
            attention_norm=".input_layernorm.weight",
            query=".self_attn.q_proj.weight",
            key=".self_attn.k_proj.weight",
            value=".self_attn.v_proj.weight",
            output=".self_attn.dense.weight",
            up=".mlp.fc1.weight",
            down=".mlp.fc2.weight",
        ),
        _FACTS | {"parallel": True, "head_bias": True},
        {"qk_layernorm": (False, _head_norms)},
        turned=0.5,
    ),
}
"""Families with plain feed-forward blocks, by `model_type`."""
